package dev.hapax.console.overview;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.QueueState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds what is stuck in a workspace. */
record ProblemSearch(Visit visit) {
  private static final int MOST = 20;
  static final int LARGEST_PAGE = 500;

  /** A worker may be between two polls, or poll another server. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** A task that waits longer, although there are workers, is late. */
  private static final Duration LATE = Duration.ofMinutes(1);

  /** The oldest first. */
  List<StuckLine> read(List<QueueState> queues, List<dev.hapax.v1.Problem> groups) {
    return Stream.of(
            queues.stream().flatMap(queue -> queue(queue).stream()),
            janitors(),
            groups.stream().flatMap(group -> new StuckItems(visit, group).problem().stream()))
        .flatMap(problems -> problems)
        .sorted(Comparator.comparing(StuckLine::order))
        .toList();
  }

  private Optional<StuckLine> queue(QueueState queue) {
    if (queue.getReady() == 0 || !queue.hasOldestReadyAt()) {
      return Optional.empty();
    }
    var since = DisplayTime.of(queue.getOldestReadyAt(), visit.now());
    var tasks = queue.getReady() == 1 ? "1 task waits" : queue.getReady() + " tasks wait";
    if (queue.getPollsWaiting() == 0 && queue.getHeld() == 0) {
      return problem(
          queue,
          tasks + ", and no worker polls this server or holds a task of the queue",
          since,
          GRACE,
          "Start a worker that polls this queue.");
    }
    return problem(
        queue,
        tasks + ", and workers hold " + (queue.getHeld() == 0 ? "none" : queue.getHeld()),
        since,
        LATE,
        "Start more workers, or find out what the workers do.");
  }

  private Optional<StuckLine> problem(
      QueueState queue, String sentence, DisplayTime since, Duration grace, String advice) {
    return since.at().isBefore(visit.now().minus(grace))
        ? Optional.of(
            new StuckLine(
                "queue " + queue.getQueue(),
                Section.QUEUES.href(visit.workspace()),
                sentence,
                Optional.of(since),
                advice))
        : Optional.empty();
  }

  private Stream<StuckLine> janitors() {
    var request =
        ListJanitorsRequest.newBuilder().setWorkspace(visit.workspace()).setPageSize(LARGEST_PAGE);
    var overdue = new ArrayList<StuckLine>();
    do {
      var page = visit.api().janitors().listJanitors(request.build());
      page.getJanitorsList().stream()
          .filter(Janitor::getOverdue)
          .map(this::janitor)
          .forEach(overdue::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && overdue.size() < MOST);
    return overdue.stream().limit(MOST);
  }

  private StuckLine janitor(Janitor janitor) {
    return new StuckLine(
        "janitor " + janitor.getModule(),
        Section.JANITORS.href(visit.workspace()),
        janitor.hasContract()
            ? "no sweep has completed in time"
            : "lifecycles need it, and none is declared",
        DisplayTime.optional(janitor.hasLastSweep(), janitor.getLastSweep(), visit.now()),
        (janitor.hasContract() ? "Start its process, or sweep." : "Declare it.")
            + " Until then, entities of its module whose holder has died stay claimed.");
  }
}
