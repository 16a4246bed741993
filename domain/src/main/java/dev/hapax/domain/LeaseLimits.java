package dev.hapax.domain;

import java.time.Duration;

/** The limits of a lease, in all four mechanisms. */
public final class LeaseLimits {
  public static final Duration MIN = Duration.ofMillis(100);
  public static final Duration MAX = Duration.ofHours(24);

  private LeaseLimits() {}

  /** Returns the lease if it is within the limits. */
  public static Duration checked(Duration lease) {
    if (lease.compareTo(MIN) < 0 || lease.compareTo(MAX) > 0) {
      throw new InvalidValueException("must be between 100 ms and 24 h");
    }
    return lease;
  }
}
