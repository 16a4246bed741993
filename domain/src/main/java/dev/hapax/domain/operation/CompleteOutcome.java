package dev.hapax.domain.operation;

/** What a Complete is told. */
public sealed interface CompleteOutcome permits CompleteOutcome.Completed, OperationClaimLost {
  /** The result stands; already = the same call came before. */
  record Completed(boolean already) implements CompleteOutcome {}
}
