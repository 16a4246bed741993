package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Who waits for which record to change.
 *
 * @param <K> the records waited for
 */
public final class Waiters<K extends RecordKey<?>> {
  private final ConcurrentMap<K, Set<Runnable>> parked = new ConcurrentHashMap<>();
  private final Places places;
  private volatile boolean closed;

  public Waiters(Places places) {
    this.places = places;
  }

  /**
   * Has {@code wake} called at every change of the record until {@link #leave}; at once if waiting
   * has ended for good.
   *
   * @throws TooManyWaitersException if the workspace has as many as it may have
   */
  public void enter(K key, Runnable wake) {
    places.take(key.workspace());
    parked.compute(
        key,
        (_, waiters) -> {
          var all = waiters == null ? ConcurrentHashMap.<Runnable>newKeySet(1) : waiters;
          all.add(wake);
          return all;
        });
    if (closed) {
      wake.run();
    }
  }

  /** Ends one waiter's place; once for each {@link #enter}. */
  public void leave(K key, Runnable wake) {
    parked.computeIfPresent(
        key,
        (_, waiters) -> {
          waiters.remove(wake);
          return waiters.isEmpty() ? null : waiters;
        });
    places.free(key.workspace());
  }

  /** Wakes whoever waits for one of these. */
  public void wake(Collection<? extends RecordKey<?>> changed) {
    if (parked.isEmpty()) {
      return;
    }
    for (var key : changed) {
      var waiters = parked.get(key);
      if (waiters != null) {
        waiters.forEach(Runnable::run);
      }
    }
  }

  /** Whether somebody waits for this one right now. */
  public boolean has(K key) {
    return parked.containsKey(key);
  }

  /** Whether anybody waits for anything right now. */
  public boolean isAnybodyThere() {
    return !parked.isEmpty();
  }

  /** The records somebody waits for right now. */
  public Set<K> keys() {
    return Set.copyOf(parked.keySet());
  }

  /** Wakes everybody, also who comes from now on: nobody is to wait any more. */
  public void close() {
    closed = true;
    parked.values().forEach(waiters -> waiters.forEach(Runnable::run));
  }

  public boolean isClosed() {
    return closed;
  }
}
