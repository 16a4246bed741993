package dev.hapax.domain;

import java.time.Duration;

/** The limits of the time that a call may wait for a result. */
public final class WaitLimits {
  /** The wait of a long poll that names none; it returns earlier if there is a result. */
  public static final Duration OF_LONG_POLL = Duration.ofSeconds(20);

  public static final Duration MAX = Duration.ofSeconds(30);

  private WaitLimits() {}

  /** Returns the wait if it is within the limits. */
  public static Duration checked(Duration wait) {
    if (wait.isNegative() || wait.compareTo(MAX) > 0) {
      throw new InvalidValueException("must be between 0 and 30 s");
    }
    return wait;
  }
}
