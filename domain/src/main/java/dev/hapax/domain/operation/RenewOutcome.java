package dev.hapax.domain.operation;

import java.time.Duration;

/** The outcome of {@link RenewOperation}. */
public sealed interface RenewOutcome permits RenewOutcome.Renewed, OperationClaimLost {
  /** The lease is renewed. */
  record Renewed(Duration leaseRemaining) implements RenewOutcome {}
}
