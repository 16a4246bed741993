package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * Finds the records awaited on this node that another node has changed, because its notification
 * does not name them. The first notification causes a query at once; later ones share a query.
 *
 * @param <K> the keys of the awaited records
 */
public final class RemoteChangeProbe<K extends RecordKey<?>> {
  private static final Duration REST = Duration.ofMillis(200);
  private final Waiters<K> waiters;
  private final Function<Set<K>, CompletableFuture<Set<K>>> changed;
  private final SingleFlight query;

  /**
   * Creates an idle probe.
   *
   * @param changed returns those of the records that may have changed
   */
  public RemoteChangeProbe(
      Waiters<K> waiters,
      Function<Set<K>, CompletableFuture<Set<K>>> changed,
      ScheduledExecutorService timer) {
    this.waiters = waiters;
    this.changed = changed;
    this.query =
        new SingleFlight(
            this::queryChanged,
            REST,
            new FailureLog(RemoteChangeProbe.class, "query for changes by other nodes"),
            timer);
  }

  /** Requests a query that wakes the callers whose record has changed. */
  public void wakeChanged() {
    if (waiters.hasAny()) {
      query.request();
    }
  }

  private CompletableFuture<?> queryChanged() {
    var awaited = waiters.keys();
    return awaited.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : changed.apply(awaited).thenAccept(waiters::wake);
  }
}
