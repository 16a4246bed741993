package dev.hapax.domain.entity;

/** The outcome of {@link SweepClaim}. */
public sealed interface SweepClaimOutcome {
  /** The entity reverted to its former status. */
  record Reverted(Entity entity) implements SweepClaimOutcome {}

  /** The entity is not stuck, does not exist, or belongs to another janitor; nothing changed. */
  record Left() implements SweepClaimOutcome {}
}
