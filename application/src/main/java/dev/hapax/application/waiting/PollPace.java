package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Slows down pollers that poll again without a pause and find nothing. After ten such polls each
 * one waits longer, up to a second, before it is answered empty. What becomes ready meanwhile is
 * answered at once.
 *
 * @param <K> the poller
 */
public final class PollPace<K> {
  /** A poll that waits as long as this needs no pace, and is not remembered. */
  public static final Duration MAX_WAIT = Duration.ofSeconds(1);

  static final int FREE_POLLS = 10;
  static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration FIRST_WAIT = Duration.ofMillis(10);
  private static final int MAX_POLLERS = 50_000;

  private final LongSupplier nanoTime;
  private final RecentEntries<K, EmptyPolls> pollers;

  /** Polls in a row that found nothing, each sent less than a pause after the answer before. */
  private record EmptyPolls(int inRow, long answeredNanos) {}

  public PollPace() {
    this(System::nanoTime);
  }

  PollPace(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.pollers = new RecentEntries<>(PAUSE, MAX_POLLERS, _ -> 1, nanoTime);
  }

  /**
   * How long a poll waits.
   *
   * @param asked what the caller asked for
   * @param most what its deadline allows
   */
  public record Wait(Duration asked, Duration most) {
    /** Without a deadline. */
    public static Wait of(Duration asked) {
      return new Wait(asked, MAX_WAIT);
    }

    private Duration atLeast(Duration least) {
      var paced = least.compareTo(most) < 0 ? least : most;
      return paced.compareTo(asked) > 0 ? paced : asked;
    }
  }

  /**
   * Polls, with the wait that was asked for or the one this poller has earned, whichever is longer.
   * Cancelling the future cancels the poll.
   */
  public <T> CompletableFuture<T> poll(
      K poller, Wait wait, Function<Duration, CompletableFuture<T>> poll, Predicate<T> isEmpty) {
    if (wait.asked().compareTo(MAX_WAIT) >= 0) {
      return poll.apply(wait.asked());
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
