package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Who waits for which record to change.
 *
 * @param <K> the records waited for
 */
public final class Waiters<K extends RecordKey<?>> {
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
     * @param alone whether no other waiter was woken: this one has to pass it on unless it takes
     *     the record
     * @return false if it has ended
     */
    boolean wake(boolean alone);
  }

  /** A change wakes all waiters of the record: each is answered by the same. */
  public Waiters(WaiterQuota places) {
    this(places, false);
  }

  private Waiters(WaiterQuota places, boolean oneByOne) {
    this.places = places;
    this.oneByOne = oneByOne;
  }

  /**
   * A change wakes the waiter of the record that came first: one takes the record, and the others
   * go on waiting. If it does not take it, it wakes the next one, or all.
   */
  public static <K extends RecordKey<?>> Waiters<K> oneByOne(WaiterQuota places) {
    return new Waiters<>(places, true);
  }

  /**
   * Has {@code waiter} woken when the record changes, until {@link #leave}; at once if waiting has
   * ended for good.
   *
   * @return the ticket to leave with
   * @throws TooManyWaitersException if the workspace has as many as it may have
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

  /** Ends one waiter's place; once for each {@link #enter}. */
  void leave(K key, long ticket) {
    parked.computeIfPresent(
        key,
        (_, waiters) -> {
          waiters.remove(ticket);
          return waiters.isEmpty() ? null : waiters;
        });
    places.free(key.workspace());
  }

  /** Wakes the waiters of these. */
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

  /** Wakes one that has not ended. */
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
    parked.keySet().forEach(this::wakeAll);
  }

  public boolean isClosed() {
    return closed;
  }
}
