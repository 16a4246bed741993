package dev.hapax.console.web;

import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The state of the data that a page shows, as an entity tag. A tab that polls with the same tag is
 * answered without a query.
 *
 * @param data a number that differs when pages may show something else
 */
record PageStates(LongSupplier data) {
  /** Keeps neighbours apart, such as the pages of runs with consecutive ids (Fibonacci hashing). */
  private static final int SPREAD = 0x9E3779B9;

  /**
   * The state now.
   *
   * @param validFor after this time the page is read again, whatever the data
   */
  String current(Visit visit, String session, Duration validFor) {
    var time =
        validFor.isZero()
            ? 0
            : (visit.now().toEpochMilli() + shiftMillis(visit.path(), validFor))
                / validFor.toMillis();
    return String.format(
        Locale.ROOT,
        "\"%x-%x-%x\"",
        data.getAsLong(),
        time,
        31 * session.hashCode() + visit.access().principal().hashCode());
  }

  /** Each page at a time of its own, so that tabs do not read at once. */
  static long shiftMillis(String path, Duration validFor) {
    var spread = SPREAD * path.hashCode();
    return Math.floorMod(spread, validFor.toMillis());
  }
}
