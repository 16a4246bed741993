package dev.hapax.console.run;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.Facts;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Run;
import java.util.List;
import java.util.Optional;

/**
 * The part of a history that a page shows, newest first.
 *
 * @param older the address of the events before
 */
public record HistoryPart(EventFilter filter, List<EventRow> events, Optional<String> older) {
  private static final String BEFORE = "before";

  static HistoryPart read(Visit visit, Run run, Facts facts) {
    var filter = EventFilter.of(visit.query().text("events"));
    var range = new RunEventRange(run.getId(), before(visit, run));
    var first = range.first();
    return new HistoryPart(
        filter,
        range.read(visit).stream()
            .filter(filter::shows)
            .map(event -> EventRow.of(event, run, facts))
            .toList(),
        first > 1
            ? Optional.of(href(visit, run, filter) + "&" + BEFORE + "=" + first)
            : Optional.empty());
  }

  private static long before(Visit visit, Run run) {
    var newest = run.getVersion() + 1;
    var given = visit.query().text(BEFORE);
    return given.matches("[0-9]{1,18}") ? Math.min(Long.parseLong(given), newest) : newest;
  }

  private static String href(Visit visit, Run run, EventFilter filter) {
    return Address.ofRun(visit.workspace(), run.getId()).with("events", filter.word()).href();
  }
}
