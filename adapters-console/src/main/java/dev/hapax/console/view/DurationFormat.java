package dev.hapax.console.view;

import java.time.Duration;

/** Durations as text. */
public final class DurationFormat {
  private static final Duration MILLIS_UNTIL = Duration.ofSeconds(10);

  private DurationFormat() {}

  /** In its largest unit. */
  public static String rounded(Duration length) {
    if (length.compareTo(Duration.ofMinutes(2)) < 0) {
      return Math.max(0, length.toSeconds()) + " s";
    }
    if (length.compareTo(Duration.ofHours(2)) < 0) {
      return length.toMinutes() + " min";
    }
    return length.compareTo(Duration.ofDays(2)) < 0
        ? length.toHours() + " h"
        : length.toDays() + " d";
  }

  /** With milliseconds if it is short; skewed clocks make no negative one. */
  public static String exact(Duration length) {
    return length.compareTo(MILLIS_UNTIL) < 0
        ? Math.max(0, length.toMillis()) + " ms"
        : rounded(length);
  }
}
