package dev.hapax.domain;

import java.time.Duration;

/** The limits and defaults of a lease, in all four mechanisms. */
public final class LeaseLimits {
  public static final Duration MIN = Duration.ofMillis(100);
  public static final Duration MAX = Duration.ofHours(24);

  public static final Duration DEFAULT_OF_OPERATION = Duration.ofSeconds(60);
  public static final Duration DEFAULT_OF_TASK = Duration.ofSeconds(30);

  /** Unless the janitor's contract has another one: its {@code stale_after}. */
  public static final Duration DEFAULT_OF_ACTION = Duration.ofMinutes(5);

  public static final Duration DEFAULT_OF_RECOVERY = Duration.ofMinutes(1);

  private LeaseLimits() {}

  /** Returns the lease if it is within the limits. */
  public static Duration checked(Duration lease) {
    if (lease.compareTo(MIN) < 0 || lease.compareTo(MAX) > 0) {
      throw new InvalidValueException("must be between 100 ms and 24 h");
    }
    return lease;
  }
}
