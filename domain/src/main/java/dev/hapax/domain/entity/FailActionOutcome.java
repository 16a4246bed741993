package dev.hapax.domain.entity;

/** What a Fail is told. */
public sealed interface FailActionOutcome permits FailActionOutcome.Failed, ActionClaimLost {
  /** The entity is where it was before; already = the same call came before. */
  record Failed(Entity entity, boolean already) implements FailActionOutcome {}
}
