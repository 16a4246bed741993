package dev.hapax.domain.operation;

import java.time.Duration;

/** What a Renew is told. */
public sealed interface RenewOutcome permits RenewOutcome.Renewed, OperationClaimLost {
  /** The lease goes on. */
  record Renewed(Duration leaseRemaining) implements RenewOutcome {}
}
