package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait for a record to change.
 *
 * @param <K> the keys of the awaited records
 */
public final class Waiters<K extends RecordKey<?>> {
  private static final int ANSWERED_AT_ONCE = 64;

  private final ConcurrentMap<K, NavigableMap<Long, Waiter>> parked = new ConcurrentHashMap<>();
  private final WaiterQuota places;
  private final boolean oneByOne;
  private volatile boolean closed;

  // guarded by this
  private long arrivals;

  /** A call that waits for a record. */
  interface Waiter {
    /**
     * The record may have changed.
     *
     * @param alone whether only this waiter was woken, so that it has to wake another one unless it
     *     takes the record
     * @return false if the waiter has ended
     */
    boolean wake(boolean alone);

    /**
     * A commit of this server wrote the record.
     *
     * @param record its state; null = it was removed
     */
    default void written(@Nullable Object record) {
      wake(false);
    }
  }

  /** Creates waiters of which a change wakes all: the change answers each of them. */
  public Waiters(WaiterQuota places) {
    this(places, false);
  }

  private Waiters(WaiterQuota places, boolean oneByOne) {
    this.places = places;
    this.oneByOne = oneByOne;
  }

  /**
   * Creates waiters of which a change wakes only the first: it takes the record, while the others
   * keep waiting. If it does not take the record, it wakes the next one, or all.
   */
  public static <K extends RecordKey<?>> Waiters<K> oneByOne(WaiterQuota places) {
    return new Waiters<>(places, true);
  }

  /**
   * Registers a waiter, which is woken when the record changes, until {@link #leave}. Wakes it at
   * once if this is closed.
   *
   * @return the ticket for {@link #leave}
   * @throws TooManyWaitersException if the workspace has reached its limit
   */
  long enter(K key, Waiter waiter) {
    places.take(key.workspace());
    var ticket = nextTicket();
    parked.compute(
        key,
        (_, waiters) -> {
          var all = waiters == null ? new ConcurrentSkipListMap<Long, Waiter>() : waiters;
          all.put(ticket, waiter);
          return all;
        });
    if (closed) {
      waiter.wake(false);
    }
    return ticket;
  }

  private synchronized long nextTicket() {
    return ++arrivals;
  }

  /** Removes a waiter; once for each {@link #enter}. */
  void leave(K key, long ticket) {
    parked.computeIfPresent(
        key,
        (_, waiters) -> {
          waiters.remove(ticket);
          return waiters.isEmpty() ? null : waiters;
        });
    places.free(key.workspace());
  }

  /** Wakes the waiters of the changed records. */
  public void wake(Collection<? extends RecordKey<?>> changed) {
    if (parked.isEmpty()) {
      return;
    }
    for (var key : changed) {
      if (oneByOne) {
        wakeOne(key);
      } else {
        wakeAll(key);
      }
    }
  }

  /**
   * Passes the records that a commit wrote to their waiters, which may answer without a read. If
   * many wait for one record, the others read it, since later commits wait for these answers.
   */
  public void written(Map<RecordKey<?>, Batch.Change> changes) {
    if (parked.isEmpty()) {
      return;
    }
    changes.forEach(
        (key, change) -> {
          var answered = 0;
          for (var waiter : of(key)) {
            if (answered++ < ANSWERED_AT_ONCE) {
              waiter.written(change.after());
            } else {
              waiter.wake(false);
            }
          }
        });
  }

  /** Wakes the first waiter that has not ended. */
  void wakeOne(RecordKey<?> key) {
    for (var waiter : of(key)) {
      if (waiter.wake(true)) {
        return;
      }
    }
  }

  void wakeAll(RecordKey<?> key) {
    of(key).forEach(waiter -> waiter.wake(false));
  }

  private Collection<Waiter> of(RecordKey<?> key) {
    var waiters = parked.get(key);
    return waiters == null ? List.of() : waiters.values();
  }

  /** Whether a call waits for this record. */
  public boolean has(K key) {
    return parked.containsKey(key);
  }

  /** Whether any call waits. */
  public boolean hasAny() {
    return !parked.isEmpty();
  }

  /** The awaited records. */
  public Set<K> keys() {
    return Set.copyOf(parked.keySet());
  }

  /** Wakes all waiters, and from now on every new waiter at once. */
  public void close() {
    closed = true;
    parked.keySet().forEach(this::wakeAll);
  }

  public boolean isClosed() {
    return closed;
  }
}
