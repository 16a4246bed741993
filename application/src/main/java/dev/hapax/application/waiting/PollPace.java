package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Rate-limits callers that poll in a tight loop without results. After ten such polls, each poll
 * waits longer, up to a second, before it returns empty. A result that becomes ready meanwhile is
 * returned at once.
 *
 * @param <K> the id of a polling caller
 */
public final class PollPace<K> {
  /** A poll that waits at least this long is not rate-limited or recorded. */
  public static final Duration MAX_WAIT = Duration.ofSeconds(1);

  static final int FREE_POLLS = 10;
  static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration FIRST_WAIT = Duration.ofMillis(10);
  private static final int MAX_POLLERS = 50_000;

  private final LongSupplier nanoTime;
  private final RecentEntries<K, EmptyPolls> pollers;

  /** Consecutive empty polls, each sent less than a pause after the previous response. */
  private record EmptyPolls(int inRow, long answeredNanos) {}

  public PollPace() {
    this(System::nanoTime);
  }

  PollPace(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.pollers = new RecentEntries<>(PAUSE, MAX_POLLERS, _ -> 1, nanoTime);
  }

  /**
   * The wait of a poll.
   *
   * @param requested by the caller
   * @param most that its deadline allows
   */
  public record Wait(Duration requested, Duration most) {
    /** A wait without a deadline. */
    public static Wait of(Duration requested) {
      return new Wait(requested, MAX_WAIT);
    }

    private Duration atLeast(Duration least) {
      var paced = least.compareTo(most) < 0 ? least : most;
      return paced.compareTo(requested) > 0 ? paced : requested;
    }
  }

  /**
   * Polls with the requested wait or the rate limit of this caller, whichever is longer. Cancelling
   * the future cancels the poll.
   */
  public <T> CompletableFuture<T> poll(
      K poller, Wait wait, Function<Duration, CompletableFuture<T>> poll, Predicate<T> isEmpty) {
    if (wait.requested().compareTo(MAX_WAIT) >= 0) {
      return poll.apply(wait.requested());
    }
    var inRow = inRow(poller);
    var found = poll.apply(wait.atLeast(leastWait(inRow)));
    var _ =
        found.whenComplete(
            (answer, failure) -> {
              if (failure == null && isEmpty.test(answer)) {
                pollers.put(poller, new EmptyPolls(inRow + 1, nanoTime.getAsLong()));
              } else {
                pollers.remove(poller);
              }
            });
    return found;
  }

  private int inRow(K poller) {
    return pollers
        .get(poller)
        .filter(empty -> nanoTime.getAsLong() - empty.answeredNanos() < PAUSE.toNanos())
        .map(EmptyPolls::inRow)
        .orElse(0);
  }

  private static Duration leastWait(int inRow) {
    if (inRow < FREE_POLLS) {
      return Duration.ZERO;
    }
    var doublings = Math.min(inRow - FREE_POLLS, 10);
    var wait = FIRST_WAIT.multipliedBy(1L << doublings);
    return wait.compareTo(MAX_WAIT) > 0 ? MAX_WAIT : wait;
  }
}
