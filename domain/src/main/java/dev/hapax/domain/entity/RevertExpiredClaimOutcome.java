package dev.hapax.domain.entity;

/** The outcome of {@link RevertExpiredClaim}. */
public sealed interface RevertExpiredClaimOutcome {
  /** The entity reverted to its former status. */
  record Reverted(Entity entity) implements RevertExpiredClaimOutcome {}

  /** The entity is not stuck, does not exist, or belongs to another janitor; nothing changed. */
  record Left() implements RevertExpiredClaimOutcome {}
}
