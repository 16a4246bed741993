package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * Finds the records awaited on this node that another node has changed: its notification does not
 * name them. The first notification is served at once; of many, one query serves all that came
 * since the last.
 *
 * @param <K> the records waited for
 */
public final class RemoteChangeProbe<K extends RecordKey<?>> {
  private static final Duration REST = Duration.ofMillis(200);
  private final Waiters<K> waiters;
  private final Function<Set<K>, CompletableFuture<Set<K>>> changed;
  private final SingleFlight query;

  /**
   * Queries nothing yet.
   *
   * @param changed which of these are worth another try
   */
  public RemoteChangeProbe(
      Waiters<K> waiters,
      Function<Set<K>, CompletableFuture<Set<K>>> changed,
      ScheduledExecutorService timer) {
    this.waiters = waiters;
    this.changed = changed;
    this.query =
        new SingleFlight(
            this::wakeChanged,
            REST,
            new FailureLog(RemoteChangeProbe.class, "query for changes by other nodes"),
            timer);
  }

  /** Wakes the callers that wait for a record that has changed. */
  public void look() {
    if (waiters.isAnybodyThere()) {
      query.request();
    }
  }

  private CompletableFuture<?> wakeChanged() {
    var awaited = waiters.keys();
    return awaited.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : changed.apply(awaited).thenAccept(waiters::wake);
  }
}
