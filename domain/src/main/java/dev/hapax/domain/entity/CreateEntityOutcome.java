package dev.hapax.domain.entity;

/** What became of a creation. */
public sealed interface CreateEntityOutcome {
  /**
   * The entity is there.
   *
   * @param created by this call; otherwise it is as it was, wherever it has moved to
   */
  record There(Entity entity, boolean created) implements CreateEntityOutcome {}

  record NoLifecycle() implements CreateEntityOutcome {}

  /** The lifecycle does not have this status. */
  record UnknownStatus() implements CreateEntityOutcome {}

  /** Only a claim leads to this status. */
  record ClaimState() implements CreateEntityOutcome {}

  /** The lifecycle is being changed; soon it is known whether it keeps this status. */
  record Changing() implements CreateEntityOutcome {}
}
