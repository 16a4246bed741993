package dev.hapax.application.waiting;

import dev.hapax.domain.Workspace;
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
  /** How many may wait at once in one workspace. */
  public static final int MAX_PER_WORKSPACE = 20_000;

  private final ConcurrentMap<K, Set<Runnable>> parked = new ConcurrentHashMap<>();
  private final ConcurrentMap<Workspace, Integer> counts = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * Has {@code wake} called at every change of the record until {@link #leave}; at once if waiting
   * has ended for good.
   *
   * @throws TooManyWaitersException if the workspace has as many as it may have
   */
  public void enter(K key, Runnable wake) {
    counts.merge(key.workspace(), 1, Waiters::admit);
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

  private static int admit(int present, int one) {
    if (present >= MAX_PER_WORKSPACE) {
      throw new TooManyWaitersException(MAX_PER_WORKSPACE);
    }
    return present + one;
  }

  /** Ends one waiter's place; once for each {@link #enter}. */
  public void leave(K key, Runnable wake) {
    parked.computeIfPresent(
        key,
        (_, waiters) -> {
          waiters.remove(wake);
          return waiters.isEmpty() ? null : waiters;
        });
    counts.computeIfPresent(key.workspace(), (_, present) -> present == 1 ? null : present - 1);
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

  /** The records somebody waits for right now. */
  public Set<K> keys() {
    return Set.copyOf(parked.keySet());
  }

  /** How many wait in all workspaces. */
  public int size() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
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
