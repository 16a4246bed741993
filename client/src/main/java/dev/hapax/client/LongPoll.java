package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.Calls.Budget;
import dev.hapax.client.internal.Timing;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A wait for a record, split into long polls that no proxy cuts.
 *
 * @param request the request of a poll that the server holds for this time
 * @param type the default instance of the response
 * @param record the record in a response
 * @param isOver whether the wait ends with this record
 */
record LongPoll<Q extends Message, R extends Message, T>(
    Function<Duration, Q> request, R type, Function<R, T> record, Predicate<T> isOver) {

  private static final Duration SLICE = Duration.ofSeconds(20);
  private static final Duration EARLY_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** Returns the record when the wait is over, or after {@code atMost} as it then is. */
  T await(Connection connection, Duration atMost) {
    Timing timing = connection.calls().timing();
    long until = timing.nanos() + min(atMost, LONGEST).toNanos();
    while (true) {
      Duration left = left(until, timing);
      Duration wait = min(left, SLICE);
      long startedAt = timing.nanos();
      // an outage is waited out, too
      Budget budget = Budget.of(max(left.minus(wait), connection.callTimeout())).holding(wait);
      T found = record.apply(connection.calls().send(request.apply(wait), type, budget).message());
      left = left(until, timing);
      if (isOver.test(found) || left.isZero()) {
        return found;
      }
      if (timing.nanos() - startedAt < wait.toNanos() / 2) {
        // a newer server may have ended the wait by a status that this client does not know
        pause(min(left, EARLY_PAUSE), timing);
      }
    }
  }

  private static void pause(Duration pause, Timing timing) {
    try {
      timing.sleep(pause);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HapaxException.Unavailable(interrupted);
    }
  }

  private static Duration left(long until, Timing timing) {
    return Duration.ofNanos(Math.max(0, until - timing.nanos()));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }
}
