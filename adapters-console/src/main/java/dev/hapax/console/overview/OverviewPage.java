package dev.hapax.console.overview;

import dev.hapax.console.overview.OverviewView.DefinitionCounts;
import dev.hapax.console.overview.OverviewView.QueueRow;
import dev.hapax.console.overview.OverviewView.StatusCount;
import dev.hapax.console.run.RunListFilter;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Section;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.ListProblemsRequest;
import dev.hapax.v1.ListProblemsResponse;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.RunCount;
import dev.hapax.v1.RunStatus;
import java.util.ArrayList;
import java.util.List;

/** Shows the work by status, definition and queue, and what is stuck. */
public final class OverviewPage implements ConsolePage {
  private static final int QUEUES_SHOWN = 100;

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
    var stuck =
        visit
            .api()
            .monitoring()
            .listProblems(ListProblemsRequest.newBuilder().setWorkspace(workspace).build());
    var view =
        new OverviewView(
            stuck.getKnown(),
            cell(stuck),
            new ServerAlarms(visit).read(),
            RunListFilter.choices().stream()
                .map(status -> tile(counts, status, workspace))
                .toList(),
            counts.stream()
                .map(RunCount::getDefinition)
                .distinct()
                .sorted()
                .map(name -> definition(counts, name, workspace))
                .toList(),
            queues.stream().limit(QUEUES_SHOWN).map(queue -> queueRow(queue, visit)).toList(),
            queues.size() > QUEUES_SHOWN,
            new ProblemSearch(visit).read(queues, stuck.getProblemsList()));
    return Reply.page(Section.OVERVIEW, "Overview", "overview/overview.jte", view);
  }

  private static String cell(ListProblemsResponse workspace) {
    return workspace.getMovingTo().isEmpty()
        ? workspace.getCell()
        : workspace.getCell() + ", and it moves to cell " + workspace.getMovingTo();
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

  private static StatusCount tile(List<RunCount> counts, RunStatus status, String workspace) {
    return count(
        counts.stream().filter(count -> count.getStatus() == status).toList(),
        status,
        RunListFilter.of(status).address(workspace).href());
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

  private static QueueRow queueRow(QueueState queue, Visit visit) {
    return new QueueRow(
        queue.getQueue(),
        queue.getReady(),
        DisplayTime.optional(queue.hasOldestReadyAt(), queue.getOldestReadyAt(), visit.now()),
        queue.getHeld(),
        queue.getPollsWaiting());
  }
}
