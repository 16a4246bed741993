package dev.hapax.console.bulk;

import dev.hapax.console.run.RunListFilter;
import dev.hapax.console.run.RunVerb;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Run;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The runs that one confirmation is about, newest first.
 *
 * @param more whether others match too
 */
record BulkSelection(List<String> runs, boolean more) {
  static final int MOST = 1_000;
  private static final int PAGE_SIZE = 500;

  /** A list reads a bounded number of runs for each page, and may find none of them. */
  private static final int MOST_PAGES = 40;

  BulkSelection {
    runs = List.copyOf(runs);
  }

  /**
   * Finds the runs that match the filter of the address and that the verb can change.
   *
   * @param until runs that are created later are left out
   */
  static BulkSelection find(Visit visit, RunVerb verb, Instant until) {
    var filter = RunListFilter.read(visit.query());
    if (!filter.allows(verb.from())) {
      return new BulkSelection(List.of(), false);
    }
    var request =
        filter
            .narrowed(verb.from())
            .request(visit.workspace(), until)
            .setCreatedBefore(RunListFilter.timestamp(until))
            .setPageSize(PAGE_SIZE);
    var found = new ArrayList<String>();
    for (int page = 0; page < MOST_PAGES && found.size() <= MOST; page++) {
      var answer = visit.api().runs().listRuns(request.build());
      answer.getRunsList().stream().map(Run::getId).forEach(found::add);
      request.setPageToken(answer.getNextPageToken());
      if (request.getPageToken().isEmpty()) {
        break;
      }
    }
    var more = found.size() > MOST || !request.getPageToken().isEmpty();
    return new BulkSelection(found.subList(0, Math.min(MOST, found.size())), more);
  }

  int size() {
    return runs.size();
  }
}
