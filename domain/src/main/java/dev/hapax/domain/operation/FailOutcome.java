package dev.hapax.domain.operation;

/** The outcome of {@link FailOperation}. */
public sealed interface FailOutcome permits FailOutcome.Failed, OperationClaimLost {
  /** The failure is recorded; already = by an earlier call with the same claim. */
  record Failed(boolean already) implements FailOutcome {}
}
