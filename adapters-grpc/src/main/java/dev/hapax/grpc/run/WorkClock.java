package dev.hapax.grpc.run;

import java.time.Duration;

/**
 * The worker's clock in its last message, by which it counts leases.
 *
 * @param sent in a unit of its own
 * @param receivedNanos when the message arrived
 */
record WorkClock(long sent, long receivedNanos) {

  /** How long a lease is, counted from the worker's message instead of from a poll. */
  Duration lease(Duration remaining, long pollNanos) {
    var lease = remaining.plusNanos(pollNanos - receivedNanos);
    return lease.isNegative() ? Duration.ZERO : lease;
  }
}
