package dev.hapax.domain.entity;

/** The outcome of {@link DeleteEntity}. */
public sealed interface DeleteEntityOutcome {
  /**
   * The entity is deleted; already = by an earlier call with the same request id, and it may have
   * been created again since.
   */
  record Deleted(boolean already) implements DeleteEntityOutcome {}

  /** The entity does not exist. */
  record Absent() implements DeleteEntityOutcome {}

  /** A caller or a recovery holds the entity; nothing changed. */
  record Claimed(Entity entity) implements DeleteEntityOutcome {}

  /** The entity's version is not the expected one; nothing changed. */
  record Moved(Entity entity) implements DeleteEntityOutcome {}
}
