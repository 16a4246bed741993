package dev.hapax.console.web;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The state of the data that a page shows, as an entity tag. A tab that polls with the same tag is
 * answered without a query.
 *
 * @param changes counts the changes that this server has made or heard of
 */
record PageStates(LongSupplier changes) {
  /** What no commit changes, such as which workers poll, is read again after this time. */
  private static final Duration LONGEST = Duration.ofMinutes(1);

  String current(Visit visit, String session) {
    var time = visit.now().toEpochMilli() / LONGEST.toMillis();
    return "\"%x-%x-%x\""
        .formatted(
            changes.getAsLong(),
            time,
            31 * session.hashCode() + visit.access().principal().hashCode());
  }
}
