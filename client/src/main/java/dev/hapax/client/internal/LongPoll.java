package dev.hapax.client.internal;

import io.grpc.Context;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A wait for a record, split into long polls that no proxy cuts. */
public final class LongPoll<R, T> {

  private static final Duration SLICE = Duration.ofSeconds(20);
  private static final Duration EARLY_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final UnaryCalls calls;
  private final Timing timing;
  private final Slices<R> slices;
  private final Function<R, T> result;
  private final Predicate<T> isOver;
  private final long until;
  private final CompletableFuture<T> awaited = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<R> slice;

  /** Sends one long poll. */
  public interface Slices<R> {
    /**
     * Sends the call.
     *
     * @param wait how long the server may hold it
     * @param timeLimit how long to retry while Hapax is unreachable
     */
    CompletableFuture<R> send(Duration wait, Duration timeLimit);
  }

  /**
   * A wait that is not started yet.
   *
   * @param result the record in the answer to a slice
   * @param isOver whether the wait ends with this record
   */
  public LongPoll(
      UnaryCalls calls,
      Timing timing,
      Duration atMost,
      Slices<R> slices,
      Function<R, T> result,
      Predicate<T> isOver) {
    this.calls = calls;
    this.timing = timing;
    this.slices = slices;
    this.result = result;
    this.isOver = isOver;
    this.until =
        timing.nanos() + min(atMost.isNegative() ? Duration.ZERO : atMost, LONGEST).toNanos();
  }

  /**
   * Sends the first slice. The future completes with the record when the wait is over or its time
   * has passed. Cancelling it cancels the call.
   */
  public CompletableFuture<T> start() {
    var unused = awaited.whenComplete((record, error) -> stopIfCancelled());
    send();
    return awaited;
  }

  private void send() {
    Duration remaining = remaining();
    // retry an unreachable server for the whole wait
    Duration timeLimit = remaining.compareTo(calls.timeout()) > 0 ? remaining : calls.timeout();
    Duration wait = min(remaining, SLICE);
    long early = timing.nanos() + wait.toNanos() / 2;
    CompletableFuture<R> sent = slices.send(wait, timeLimit);
    slice = sent;
    stopIfCancelled();
    var unused =
        sent.whenComplete(
            (response, error) -> {
              if (response != null) {
                received(result.apply(response), early);
              } else {
                awaited.completeExceptionally(UnaryCalls.toException(error));
              }
            });
  }

  private void received(T record, long early) {
    Duration remaining = remaining();
    if (isOver.test(record) || remaining.isZero()) {
      awaited.complete(record);
    } else if (timing.nanos() - early < 0) {
      // a newer server may have ended the wait by a status that this client does not know
      timing.after(min(remaining, EARLY_PAUSE), Context.current().wrap(this::send));
    } else {
      send();
    }
  }

  private void stopIfCancelled() {
    CompletableFuture<R> sent = slice;
    if (awaited.isCancelled() && sent != null) {
      sent.cancel(false);
    }
  }

  private Duration remaining() {
    return Duration.ofNanos(Math.max(0, until - timing.nanos()));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
