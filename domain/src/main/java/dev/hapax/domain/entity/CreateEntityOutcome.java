package dev.hapax.domain.entity;

/** The outcome of {@link CreateEntity}. */
public sealed interface CreateEntityOutcome {
  /**
   * The entity exists.
   *
   * @param created by this call; otherwise the entity existed before and is unchanged
   */
  record There(Entity entity, boolean created) implements CreateEntityOutcome {}

  record NoLifecycle() implements CreateEntityOutcome {}

  /** The lifecycle has no such status. */
  record UnknownStatus() implements CreateEntityOutcome {}

  /** Only a claim leads to this status. */
  record ClaimState() implements CreateEntityOutcome {}

  /** A change of the lifecycle is in progress, which may remove this status; retry later. */
  record Changing() implements CreateEntityOutcome {}
}
