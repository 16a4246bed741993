package dev.hapax.console.web;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The state of the data that a page shows, as an entity tag. A tab that polls with the same tag is
 * answered without a query.
 *
 * @param data a number that differs when pages may show something else
 */
record PageStates(LongSupplier data) {
  /** What no number tells, such as how late a janitor is, is read again after this time. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  String current(Visit visit, String session) {
    // each page at a time of its own, so that tabs do not read at once
    var shift = Math.floorMod(visit.path().hashCode(), LONGEST.toMillis());
    var time = (visit.now().toEpochMilli() + shift) / LONGEST.toMillis();
    return "\"%x-%x-%x\""
        .formatted(
            data.getAsLong(),
            time,
            31 * session.hashCode() + visit.access().principal().hashCode());
  }
}
