package dev.hapax.http;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** Places for all callers, of which those of one network may take only a share. */
final class NetworkPlaces {
  private final int share;
  private final Semaphore free;
  private final ConcurrentMap<String, Integer> taken = new ConcurrentHashMap<>();

  NetworkPlaces(int total, int share) {
    this.share = share;
    this.free = new Semaphore(total);
  }

  /** Takes a place, unless all are taken, or the share of the network. */
  boolean take(String network) {
    var isTaken = new AtomicBoolean();
    taken.compute(
        network,
        (_, before) -> {
          var count = before == null ? 0 : before;
          isTaken.setPlain(count < share && free.tryAcquire());
          return isTaken.getPlain() ? Integer.valueOf(count + 1) : before;
        });
    return isTaken.getPlain();
  }

  /** Frees a place; once for each that was taken. */
  void free(String network) {
    taken.computeIfPresent(network, (_, count) -> count == 1 ? null : count - 1);
    free.release();
  }
}
