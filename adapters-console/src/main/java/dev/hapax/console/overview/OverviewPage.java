package dev.hapax.console.overview;

import dev.hapax.console.overview.OverviewView.DefinitionCounts;
import dev.hapax.console.overview.OverviewView.QueueRow;
import dev.hapax.console.overview.OverviewView.StatusCount;
import dev.hapax.console.run.RunListFilter;
import dev.hapax.console.run.RunRow;
import dev.hapax.console.view.Moment;
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
import java.util.List;
import java.util.Optional;

/** Shows the work by status, definition and queue, and what is stuck. */
public final class OverviewPage implements ConsolePage {
  private static final int MAX_QUEUES = 100;
  private static final int FAILED_SHOWN = 8;

  @Override
  public Reply show(Visit visit) {
    var workspace = visit.workspace();
    var counts =
        visit
            .api()
            .monitoring()
            .countRuns(CountRunsRequest.newBuilder().setWorkspace(workspace).build())
            .getCountsList();
    var queues =
        visit
            .api()
            .monitoring()
            .listQueues(
                ListQueuesRequest.newBuilder()
                    .setWorkspace(workspace)
                    .setPageSize(MAX_QUEUES)
                    .build())
            .getQueuesList();
    var failed =
        visit
            .api()
            .runs()
            .listRuns(
                RunListFilter.of(RunStatus.RUN_STATUS_FAILED)
                    .request(workspace, visit.now())
                    .setPageSize(FAILED_SHOWN)
                    .build());
    var view =
        new OverviewView(
            RunListFilter.choices().stream()
                .map(status -> total(counts, status, workspace))
                .toList(),
            counts.stream()
                .map(RunCount::getDefinition)
                .distinct()
                .sorted()
                .map(name -> definition(counts, name, workspace))
                .toList(),
            queues.stream().map(queue -> queue(queue, visit)).toList(),
            failed.getRunsList().stream().map(run -> RunRow.of(run, visit.now())).toList(),
            !failed.getNextPageToken().isEmpty());
    return Reply.page(Section.OVERVIEW, "Overview", "overview/overview.jte", view);
  }

  private static StatusCount total(List<RunCount> counts, RunStatus status, String workspace) {
    return count(
        counts.stream().filter(count -> count.getStatus() == status).toList(),
        status,
        RunListFilter.of(status).href(workspace, ""));
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
                        RunListFilter.of(status).of(name).href(workspace, "")))
            .toList());
  }

  private static StatusCount count(List<RunCount> counts, RunStatus status, String href) {
    var runs = counts.stream().mapToLong(RunCount::getRuns).sum();
    var truncated = counts.stream().anyMatch(RunCount::getTruncated);
    return new StatusCount(
        StatusTag.of(status), truncated ? runs + "+" : Long.toString(runs), href);
  }

  private static QueueRow queue(QueueState queue, Visit visit) {
    return new QueueRow(
        queue.getQueue(),
        queue.getReady(),
        queue.hasOldestReadyAt()
            ? Optional.of(Moment.of(queue.getOldestReadyAt(), visit.now()))
            : Optional.empty(),
        queue.getHeld(),
        queue.getPollsWaiting(),
        queue.getReady() > 0 && queue.getPollsWaiting() == 0 && queue.getHeld() == 0);
  }
}
