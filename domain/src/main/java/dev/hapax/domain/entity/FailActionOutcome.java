package dev.hapax.domain.entity;

/** The outcome of {@link FailAction}. */
public sealed interface FailActionOutcome permits FailActionOutcome.Failed, ActionClaimLost {
  /** The entity has its former status; already = by an earlier call with the same claim. */
  record Failed(Entity entity, boolean already) implements FailActionOutcome {}
}
