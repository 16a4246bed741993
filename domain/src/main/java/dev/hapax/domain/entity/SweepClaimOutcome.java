package dev.hapax.domain.entity;

/** What became of a claim that a sweep proposed. */
public sealed interface SweepClaimOutcome {
  /** The entity is back where it was. */
  record Reverted(Entity entity) implements SweepClaimOutcome {}

  /** It is alive, or gone, or for another janitor; nothing changed. */
  record Left() implements SweepClaimOutcome {}
}
