package dev.hapax.domain.operation;

/** The outcome of {@link CompleteOperation}. */
public sealed interface CompleteOutcome permits CompleteOutcome.Completed, OperationClaimLost {
  /** The result is recorded; already = by an earlier call with the same claim. */
  record Completed(boolean already) implements CompleteOutcome {}
}
