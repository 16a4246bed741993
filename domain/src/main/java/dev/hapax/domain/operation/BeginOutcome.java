package dev.hapax.domain.operation;

import java.time.Duration;

/** What a Begin is told. */
public sealed interface BeginOutcome {
  /**
   * Do it.
   *
   * @param lease as it was asked for: that of a renewal that asks for none
   */
  record Acquired(
      OperationClaim claim,
      Duration lease,
      Duration leaseRemaining,
      int attempt,
      boolean reclaimed,
      boolean reentrant)
      implements BeginOutcome {

    /** Callers count the lease from when they sent, and the grant was made so much later. */
    public Acquired afterWaiting(Duration waited) {
      return new Acquired(claim, lease, leaseRemaining.plus(waited), attempt, reclaimed, reentrant);
    }
  }

  /** It has been done. */
  record Replayed(Replay replay) implements BeginOutcome {}

  /** Somebody else does it, for as long as the lease remains or is renewed. */
  record InProgress(Grant holder, Duration leaseRemaining) implements BeginOutcome {}

  /** The key was used for another request. */
  record KeyReused() implements BeginOutcome {}

  /** Nobody knows whether the last attempt did it. */
  record Indeterminate(Grant inDoubt) implements BeginOutcome {}

  /** No request id: do it, nothing is remembered. */
  record Untracked() implements BeginOutcome {}

  /** The account-changing operation is another account's. */
  record AccountMismatch() implements BeginOutcome {}
}
