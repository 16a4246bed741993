package dev.hapax.domain.entity;

import java.time.Duration;

/** What a Renew is told. */
public sealed interface RenewActionOutcome permits RenewActionOutcome.Renewed, ActionClaimLost {
  /** The lease goes on. */
  record Renewed(Duration leaseRemaining) implements RenewActionOutcome {}
}
