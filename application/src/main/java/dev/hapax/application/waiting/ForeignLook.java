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
 * commits say not what they changed. The first of them is looked at at once; while many come, one
 * look serves all that came since the last.
 *
 * @param <K> the records waited for
 */
public final class ForeignLook<K extends RecordKey<?>> {
  private static final Duration REST = Duration.ofMillis(200);
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
  private final Waiters<K> waiters;
  private final Function<Set<K>, CompletableFuture<Set<K>>> changed;
  private final ScheduledExecutorService timer;

  // guarded by this
  private boolean busy;
  private boolean wanted;

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
    synchronized (this) {
      wanted = true;
      if (busy) {
        return;
      }
      busy = true;
    }
    lookIfWanted();
  }

  private void lookIfWanted() {
    synchronized (this) {
      busy = wanted && waiters.isAnybodyThere();
      wanted = false;
      if (!busy) {
        return;
      }
    }
    var _ = changed.apply(waiters.keys()).whenComplete((found, _) -> looked(found));
  }

  /** Nothing = the look failed, and no other commit may come that would ask for another. */
  private void looked(@Nullable Set<K> found) {
    var rest = REST;
    if (found == null) {
      rest = LOOK_AGAIN;
      synchronized (this) {
        wanted = true;
      }
    } else {
      waiters.wake(found);
    }
    var _ = timer.schedule(this::lookIfWanted, rest.toNanos(), TimeUnit.NANOSECONDS);
  }
}
