package dev.hapax.grpc.quota;

import java.time.Duration;

/**
 * An allowance that refills with time, as it was at one moment. It reads no clock.
 *
 * @param tokens negative = a debt
 * @param atNanos the moment, on the clock of the caller
 */
record TokenBucket(double tokens, long atNanos) {

  /**
   * How fast buckets refill, and how much they hold.
   *
   * @param perSecond the tokens that arrive in a second
   * @param burst the most tokens that a bucket holds
   */
  record Rate(double perSecond, double burst) {
    Rate {
      if (!(perSecond > 0) || !(burst >= 1)) {
        throw new IllegalArgumentException(
            "a rate needs at least one token and time to get it (was %s)"
                .formatted(perSecond + "/s, burst " + burst));
      }
    }

    /** A rate that allows the tokens of one second at once. */
    static Rate perSecond(int tokens) {
      return new Rate(tokens, Math.max(1, tokens));
    }
  }

  static TokenBucket full(Rate rate, long nowNanos) {
    return new TokenBucket(rate.burst, nowNanos);
  }

  /** The same bucket later. */
  TokenBucket at(Rate rate, long nowNanos) {
    var arrived = Math.max(0, nowNanos - atNanos) * rate.perSecond / 1e9;
    return new TokenBucket(Math.min(rate.burst, tokens + arrived), nowNanos);
  }

  boolean isFull(Rate rate) {
    return tokens >= rate.burst;
  }

  boolean has(double wanted) {
    return tokens >= wanted;
  }

  /** Takes tokens, and goes into debt for what is missing. */
  TokenBucket take(int wanted) {
    return new TokenBucket(tokens - wanted, atNanos);
  }

  /** The time until the bucket has as many tokens; zero if it has them. */
  Duration until(double wanted, Rate rate) {
    return tokens >= wanted
        ? Duration.ZERO
        : Duration.ofNanos((long) Math.ceil((wanted - tokens) / rate.perSecond * 1e9));
  }
}
