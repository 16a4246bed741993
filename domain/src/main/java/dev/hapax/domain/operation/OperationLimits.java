package dev.hapax.domain.operation;

import dev.hapax.domain.InvalidValueException;
import java.time.Duration;

/** The limits and defaults of leases, times to live and waits. */
public final class OperationLimits {
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(60);
  public static final Duration MIN_LEASE = Duration.ofMillis(100);
  public static final Duration MAX_LEASE = Duration.ofHours(24);
  public static final Duration DEFAULT_TTL = Duration.ofHours(24);
  public static final Duration MAX_TTL = Duration.ofDays(30);

  /** The wait of a long poll, which returns earlier if there is a result. */
  public static final Duration DEFAULT_WAIT = Duration.ofSeconds(20);

  public static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private OperationLimits() {}

  public static Duration lease(Duration lease) {
    if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
      throw new InvalidValueException("must be between 100 ms and 24 h");
    }
    return lease;
  }

  public static Duration ttl(Duration ttl) {
    if (!ttl.isPositive() || ttl.compareTo(MAX_TTL) > 0) {
      throw new InvalidValueException("must be more than 0 and at most 30 days");
    }
    return ttl;
  }

  public static Duration waitTime(Duration wait) {
    if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
      throw new InvalidValueException("must be between 0 and 30 s");
    }
    return wait;
  }
}
