package dev.hapax.grpc.limit;

import dev.hapax.grpc.limit.TokenBucket.Rate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/** Limits the calls in a second, and the open watches, of each key: a workspace or a principal. */
final class RateLimits {
  private final Optional<TokenBuckets<String>> calls;
  private final int maxWatches;
  private final ConcurrentMap<String, Integer> watches = new ConcurrentHashMap<>();

  /**
   * Makes limits that all keys share.
   *
   * @param callsPerSecond 0 = no limit
   */
  RateLimits(int callsPerSecond, int maxWatches, LongSupplier nanoTime) {
    this.calls =
        Optional.of(callsPerSecond)
            .filter(limit -> limit > 0)
            .map(limit -> new TokenBuckets<>(Rate.perSecond(limit), nanoTime));
    this.maxWatches = maxWatches;
  }

  /** Admits calls, or returns the time after which to retry. */
  Optional<Duration> admit(String key, int count) {
    return calls.filter(each -> !each.take(key, count)).map(each -> each.until(key, count));
  }

  /** Counts calls that are admitted in any case and returns how long the next ones must wait. */
  Duration charge(String key, int count) {
    calls.ifPresent(each -> each.charge(key, count));
    return calls.map(each -> each.until(key, 0)).orElse(Duration.ZERO);
  }

  /** Takes the place of a watch if there is one. */
  boolean openWatch(String key) {
    var opened = new boolean[1];
    watches.compute(
        key,
        (_, open) -> {
          opened[0] = open == null || open < maxWatches;
          return opened[0] ? (open == null ? 1 : open + 1) : open;
        });
    return opened[0];
  }

  /** Frees a place; once for each watch that was opened. */
  void closeWatch(String key) {
    watches.computeIfPresent(key, (_, open) -> open == 1 ? null : open - 1);
  }

  int openWatches(String key) {
    return watches.getOrDefault(key, 0);
  }
}
