package dev.hapax.console.overview;

import dev.hapax.console.overview.OverviewView.DefinitionCounts;
import dev.hapax.console.overview.OverviewView.QueueRow;
import dev.hapax.console.overview.OverviewView.StatusCount;
import dev.hapax.console.overview.OverviewView.StatusTile;
import dev.hapax.console.run.RunListFilter;
import dev.hapax.console.run.RunRow;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Section;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.RunCount;
import dev.hapax.v1.RunStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shows the work by status, definition and queue, and what is stuck. */
public final class OverviewPage implements ConsolePage {
  private static final int QUEUES_SHOWN = 100;
  private static final int FAILED_SHOWN = 8;
  private static final int QUEUES_SAMPLED = 30;

  private final WorkSamples samples = new WorkSamples();

  @Override
  public void unchanged(Visit visit) {
    samples.repeat(visit.workspace(), visit.now());
  }

  @Override
  public Reply show(Visit visit) {
    var workspace = visit.workspace();
    var counts =
        visit
            .api()
            .monitoring()
            .countRuns(CountRunsRequest.newBuilder().setWorkspace(workspace).build())
            .getCountsList();
    var queues = queues(visit);
    var failed =
        visit
            .api()
            .runs()
            .listRuns(
                RunListFilter.of(RunStatus.RUN_STATUS_FAILED)
                    .request(workspace, visit.now())
                    .setPageSize(FAILED_SHOWN)
                    .build());
    samples.add(workspace, visit.now(), numbers(counts, queues));
    var view =
        new OverviewView(
            RunListFilter.choices().stream().map(status -> tile(counts, status, visit)).toList(),
            counts.stream()
                .map(RunCount::getDefinition)
                .distinct()
                .sorted()
                .map(name -> definition(counts, name, workspace))
                .toList(),
            queues.stream().limit(QUEUES_SHOWN).map(queue -> queueRow(queue, visit)).toList(),
            queues.size() > QUEUES_SHOWN,
            new ProblemSearch(visit).read(queues),
            failed.getRunsList().stream().map(run -> RunRow.of(run, visit.now())).toList(),
            !failed.getNextPageToken().isEmpty());
    return Reply.page(Section.OVERVIEW, "Overview", "overview/overview.jte", view);
  }

  /** All queues: a task that no worker takes may be in any of them. */
  private static List<QueueState> queues(Visit visit) {
    var request =
        ListQueuesRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setPageSize(ProblemSearch.LARGEST_PAGE);
    var queues = new ArrayList<QueueState>();
    do {
      var page = visit.api().monitoring().listQueues(request.build());
      queues.addAll(page.getQueuesList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return queues;
  }

  private static Map<String, Long> numbers(List<RunCount> counts, List<QueueState> queues) {
    var numbers = new HashMap<String, Long>();
    RunListFilter.choices().forEach(status -> numbers.put(series(status), 0L));
    counts.forEach(count -> numbers.merge(series(count.getStatus()), count.getRuns(), Long::sum));
    queues.stream()
        .limit(QUEUES_SAMPLED)
        .forEach(queue -> numbers.put(series(queue), queue.getReady()));
    return numbers;
  }

  private static String series(RunStatus status) {
    return "status " + status;
  }

  private static String series(QueueState queue) {
    return "queue " + queue.getQueue();
  }

  private StatusTile tile(List<RunCount> counts, RunStatus status, Visit visit) {
    var workspace = visit.workspace();
    return new StatusTile(
        count(
            counts.stream().filter(count -> count.getStatus() == status).toList(),
            status,
            RunListFilter.of(status).address(workspace).href()),
        samples.trend(workspace, visit.now(), series(status)));
  }

  private static DefinitionCounts definition(List<RunCount> counts, String name, String workspace) {
    var own = counts.stream().filter(count -> count.getDefinition().equals(name)).toList();
    return new DefinitionCounts(
        name,
        RunListFilter.choices().stream()
            .map(
                status ->
                    count(
                        own.stream().filter(count -> count.getStatus() == status).toList(),
                        status,
                        RunListFilter.of(status).of(name).address(workspace).href()))
            .toList());
  }

  private static StatusCount count(List<RunCount> counts, RunStatus status, String href) {
    var runs = counts.stream().mapToLong(RunCount::getRuns).sum();
    var truncated = counts.stream().anyMatch(RunCount::getTruncated);
    return new StatusCount(
        StatusTag.of(status), truncated ? runs + "+" : Long.toString(runs), href);
  }

  private QueueRow queueRow(QueueState queue, Visit visit) {
    return new QueueRow(
        queue.getQueue(),
        queue.getReady(),
        DisplayTime.optional(queue.hasOldestReadyAt(), queue.getOldestReadyAt(), visit.now()),
        queue.getHeld(),
        queue.getPollsWaiting(),
        samples.trend(visit.workspace(), visit.now(), series(queue)));
  }
}
