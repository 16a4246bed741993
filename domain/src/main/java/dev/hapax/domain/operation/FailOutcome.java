package dev.hapax.domain.operation;

/** What a Fail is told. */
public sealed interface FailOutcome permits FailOutcome.Failed, OperationClaimLost {
  /** The failure stands; already = the same call came before. */
  record Failed(boolean already) implements FailOutcome {}
}
