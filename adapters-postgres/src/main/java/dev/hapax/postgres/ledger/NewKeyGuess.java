package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;

/**
 * Guesses which idempotency keys are new: those that this node has not seen lately. A batch that
 * follows a wrong guess fails and is repeated, so after one there are no guesses for a while: a
 * second, and twice as long after each further one within a while. Thread-safe.
 */
final class NewKeyGuess {
  static final long SHORTEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Places of seen keys, by hash; a power of two. The last key of a place is remembered. */
  private static final int PLACES = 1 << 18;

  private final AtomicIntegerArray seen = new AtomicIntegerArray(PLACES);
  private final LongSupplier nanos;
  private long pauseNanos = SHORTEST_PAUSE_NANOS;
  private volatile long resumeNanos;

  NewKeyGuess(LongSupplier nanos) {
    this.nanos = nanos;
    this.resumeNanos = nanos.getAsLong() - SHORTEST_PAUSE_NANOS;
  }

  /** Whether to take the key for new; from now on, it is not. */
  boolean isNew(RecordKey<?> key) {
    var hash = key.hashCode();
    // 0 is no key
    var mark = hash == 0 ? 1 : hash;
    var place = (hash ^ hash >>> 14) & (PLACES - 1);
    return seen.getAndSet(place, mark) != mark && nanos.getAsLong() - resumeNanos >= 0;
  }

  /** Notes that a batch with guesses has failed. */
  synchronized void failed() {
    var now = nanos.getAsLong();
    var sinceResumed = now - resumeNanos;
    if (sinceResumed < 0) {
      // of a batch from before the pause
      return;
    }
    pauseNanos =
        sinceResumed < pauseNanos
            ? Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS)
            : SHORTEST_PAUSE_NANOS;
    resumeNanos = now + pauseNanos;
  }
}
