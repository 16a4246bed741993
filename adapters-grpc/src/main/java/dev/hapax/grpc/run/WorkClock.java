package dev.hapax.grpc.run;

import java.time.Duration;

/**
 * The worker's clock in its last message, from which it counts leases.
 *
 * @param sent the worker's time, in its own unit
 * @param receivedNanos the arrival of the message
 */
record WorkClock(long sent, long receivedNanos) {

  /** Converts the rest of a lease from the start of a poll to the worker's message. */
  Duration lease(Duration remaining, long pollNanos) {
    var lease = remaining.plusNanos(pollNanos - receivedNanos);
    return lease.isNegative() ? Duration.ZERO : lease;
  }
}
