package dev.hapax.client.internal;

import java.time.Duration;

/** Validates settings when they are set. */
public final class Ranges {

  private Ranges() {}

  public static Duration positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be more than 0 (was " + value + ")");
    }
    return value;
  }

  public static Duration within(String name, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          name + " must be between " + least + " and " + most + " (was " + value + ")");
    }
    return value;
  }

  public static int within(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be between " + least + " and " + most + " (was " + value + ")");
    }
    return value;
  }
}
