package dev.hapax.domain;

import java.time.Duration;

/** The limits of the time that a call may wait for a result. */
public final class WaitLimits {
  /** The wait of a long poll that names none; it returns earlier if there is a result. */
  public static final Duration OF_LONG_POLL = Duration.ofSeconds(20);

  public static final Duration MAX = Duration.ofSeconds(30);

  private WaitLimits() {}
}
