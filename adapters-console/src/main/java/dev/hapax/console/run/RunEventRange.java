package dev.hapax.console.run;

import dev.hapax.console.web.Visit;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.RunEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The versions of a run whose events are shown together.
 *
 * @param before the version after the last one
 */
public record RunEventRange(String runId, long before) {
  private static final int SIZE = 200;

  /** The first version. */
  long first() {
    return Math.max(1, before - SIZE);
  }

  /** Reads the events, newest first. The API cuts a page at 1 MiB, so large ones take several. */
  public List<RunEvent> read(Visit visit) {
    var request =
        ListRunEventsRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setRunId(runId)
            .setAfterVersion(first() - 1)
            .setPageSize(SIZE);
    var events = new ArrayList<RunEvent>();
    do {
      var answer = visit.api().runs().listRunEvents(request.build());
      events.addAll(answer.getEventsList());
      request.setPageToken(answer.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && events.size() < SIZE);
    events.removeIf(event -> event.getVersion() >= before);
    return events.reversed();
  }
}
