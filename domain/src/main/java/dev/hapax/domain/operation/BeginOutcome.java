package dev.hapax.domain.operation;

import java.time.Duration;

/** The outcome of {@link BeginOperation}. */
public sealed interface BeginOutcome {
  /**
   * The caller holds the operation and executes it.
   *
   * @param lease as requested; also the default of renewals
   */
  record Acquired(
      OperationClaim claim,
      Duration lease,
      Duration leaseRemaining,
      int attempt,
      boolean reclaimed,
      boolean reentrant)
      implements BeginOutcome {

    /**
     * Adds the time that the call waited: callers count the lease from when they sent the request.
     */
    public Acquired afterWaiting(Duration waited) {
      return new Acquired(claim, lease, leaseRemaining.plus(waited), attempt, reclaimed, reentrant);
    }
  }

  /** The operation has ended; this is its recorded result. */
  record Replayed(Replay replay) implements BeginOutcome {}

  /** Another caller holds the operation while its lease lasts. */
  record InProgress(Grant holder, Duration leaseRemaining) implements BeginOutcome {}

  /** The key was used with a different request. */
  record KeyReused() implements BeginOutcome {}

  /** It is unknown whether the last attempt took effect. */
  record Indeterminate(Grant inDoubt) implements BeginOutcome {}

  /** The request has no id: the caller executes it without deduplication. */
  record Untracked() implements BeginOutcome {}

  /** The account-changing operation belongs to another account. */
  record AccountMismatch() implements BeginOutcome {}
}
