package dev.hapax.grpc.quota;

import dev.hapax.grpc.quota.TokenBucket.Rate;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The calls per second that each key may make: a workspace or a principal. */
final class RateLimit {
  private final Optional<TokenBuckets<String>> calls;

  /**
   * Makes a rate that all keys share.
   *
   * @param perSecond 0 = no limit
   */
  RateLimit(int perSecond, LongSupplier nanoTime) {
    this.calls =
        Optional.of(perSecond)
            .filter(limit -> limit > 0)
            .map(limit -> new TokenBuckets<>(Rate.perSecond(limit), nanoTime));
  }

  /** Admits calls, or returns the time after which to retry. */
  Optional<Duration> admit(String key, int count) {
    return calls.filter(each -> !each.take(key, count)).map(each -> each.until(key, count));
  }

  /**
   * Admits calls that the key pays for later, or returns the time after which to retry. It never
   * owes more than the calls of one second.
   */
  Optional<Duration> admitOnCredit(String key, int count) {
    return calls
        .filter(each -> !each.takeOnCredit(key, count))
        .map(each -> each.untilCredit(key, count));
  }

  /** The time until the key owes nothing. */
  Duration debt(String key) {
    return calls.map(each -> each.until(key, 0)).orElse(Duration.ZERO);
  }
}
