package dev.hapax.domain.operation;

import dev.hapax.domain.InvalidValueException;
import java.time.Duration;

/** The bounds of what a caller may ask for, and what it gets when it does not ask. */
public final class LeaseTerms {
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(60);
  public static final Duration MIN_LEASE = Duration.ofMillis(100);
  public static final Duration MAX_LEASE = Duration.ofHours(24);
  public static final Duration DEFAULT_TTL = Duration.ofHours(24);
  public static final Duration MAX_TTL = Duration.ofDays(30);

  /** Of a long poll: its caller is answered earlier if there is something. */
  public static final Duration DEFAULT_WAIT = Duration.ofSeconds(20);

  public static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private LeaseTerms() {}

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

  public static Duration patience(Duration wait) {
    if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
      throw new InvalidValueException("must be between 0 and 30 s");
    }
    return wait;
  }
}
