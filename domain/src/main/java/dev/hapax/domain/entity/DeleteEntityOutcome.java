package dev.hapax.domain.entity;

/** What became of a deletion. */
public sealed interface DeleteEntityOutcome {
  /**
   * The entity is gone; already = by the same request before, and it may have been created since.
   */
  record Deleted(boolean already) implements DeleteEntityOutcome {}

  /** There is no such entity. */
  record Absent() implements DeleteEntityOutcome {}

  /** A holder or a recovery has it; nothing changed. */
  record Claimed(Entity entity) implements DeleteEntityOutcome {}

  /** The entity is not at the version that was expected; nothing changed. */
  record Moved(Entity entity) implements DeleteEntityOutcome {}
}
