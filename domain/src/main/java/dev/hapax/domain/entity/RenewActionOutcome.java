package dev.hapax.domain.entity;

import java.time.Duration;

/** The outcome of {@link RenewAction}. */
public sealed interface RenewActionOutcome permits RenewActionOutcome.Renewed, ActionClaimLost {
  /** The lease is renewed. */
  record Renewed(Duration leaseRemaining) implements RenewActionOutcome {}
}
