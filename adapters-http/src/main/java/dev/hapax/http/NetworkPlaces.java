package dev.hapax.http;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** Places for all clients, of which those of one network may take only a share. */
final class NetworkPlaces {
  private final int total;
  private final int share;
  private final Semaphore free;
  private final ConcurrentMap<String, Integer> taken = new ConcurrentHashMap<>();

  NetworkPlaces(int total, int share) {
    this.total = total;
    this.share = share;
    this.free = new Semaphore(total);
  }

  /** Takes as many places, unless too few are free, or left of the share of the network. */
  boolean take(String network, int places) {
    var isTaken = new AtomicBoolean();
    taken.compute(
        network,
        (_, before) -> {
          var count = before == null ? 0 : before;
          isTaken.setPlain(places <= share - count && free.tryAcquire(places));
          return isTaken.getPlain() ? Integer.valueOf(count + places) : before;
        });
    return isTaken.getPlain();
  }

  /** Frees places; once for each that was taken. */
  void free(String network, int places) {
    taken.computeIfPresent(network, (_, count) -> count == places ? null : count - places);
    free.release(places);
  }

  int free() {
    return free.availablePermits();
  }

  int total() {
    return total;
  }

  int share() {
    return share;
  }
}
