package dev.hapax.domain.entity;

/** What became of a release. */
public sealed interface ReleaseClaimOutcome {
  /** Nobody has it; already = the same call came before, and it may have been claimed since. */
  record Released(Entity entity, boolean already) implements ReleaseClaimOutcome {}

  record NotFound() implements ReleaseClaimOutcome {}

  /** Nobody had it. */
  record NotClaimed(Entity entity) implements ReleaseClaimOutcome {}

  /** The entity is not at the version that was expected; nothing changed. */
  record Moved(Entity entity) implements ReleaseClaimOutcome {}
}
