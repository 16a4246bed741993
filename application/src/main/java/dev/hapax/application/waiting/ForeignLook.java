package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which of the records somebody waits for here were changed elsewhere: another node's
 * commits say not what they changed.
 *
 * @param <K> the records waited for
 */
public final class ForeignLook<K extends RecordKey<?>> {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
  private final Waiters<K> waiters;
  private final Function<Set<K>, CompletableFuture<Set<K>>> changed;
  private final ScheduledExecutorService timer;

  // guarded by this
  private boolean looksAgain;

  /**
   * Looks at nothing yet.
   *
   * @param changed which of these are worth another try
   */
  public ForeignLook(
      Waiters<K> waiters,
      Function<Set<K>, CompletableFuture<Set<K>>> changed,
      ScheduledExecutorService timer) {
    this.waiters = waiters;
    this.changed = changed;
    this.timer = timer;
  }

  /** Wakes who waits for one of them. */
  public void look() {
    var awaited = waiters.keys();
    if (!awaited.isEmpty()) {
      var _ = changed.apply(awaited).whenComplete((found, _) -> looked(found));
    }
  }

  /** Nothing = the look failed. */
  private void looked(@Nullable Set<K> found) {
    if (found == null) {
      lookAgain();
    } else {
      waiters.wake(found);
    }
  }

  /** No other commit may come that would ask for what this look did not find. */
  private synchronized void lookAgain() {
    if (!looksAgain) {
      looksAgain = true;
      var _ = timer.schedule(this::nextLook, LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void nextLook() {
    synchronized (this) {
      looksAgain = false;
    }
    look();
  }
}
