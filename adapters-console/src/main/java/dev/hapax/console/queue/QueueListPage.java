package dev.hapax.console.queue;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.ListWorkersRequest;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.WorkerState;
import java.util.List;
import java.util.Optional;

/** Lists queues, and the workers that poll them or hold their tasks. */
public final class QueueListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;
  private static final String QUEUES = "queues";
  private static final String WORKERS = "workers";

  /** A page of queues beside a page of workers. */
  public record View(
      List<QueueLine> queues,
      PageLinks queuePages,
      List<WorkerLine> workers,
      PageLinks workerPages) {}

  /** A queue. */
  public record QueueLine(
      String name,
      StatusTag status,
      long ready,
      Optional<DisplayTime> oldest,
      long held,
      long polls) {}

  /** A worker. */
  public record WorkerLine(
      String id,
      List<String> queues,
      Optional<DisplayTime> lastPoll,
      long polls,
      long held,
      Optional<DisplayTime> leaseUntil) {}

  @Override
  public Reply show(Visit visit) {
    var queueToken = visit.query().text(QUEUES);
    var workerToken = visit.query().text(WORKERS);
    var queues =
        visit
            .api()
            .monitoring()
            .listQueues(
                ListQueuesRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(queueToken)
                    .build());
    var workers =
        visit
            .api()
            .monitoring()
            .listWorkers(
                ListWorkersRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(workerToken)
                    .build());
    var page = Address.of(visit.workspace(), "queues");
    var view =
        new View(
            queues.getQueuesList().stream().map(queue -> line(queue, visit)).toList(),
            PageLinks.of(
                page.with(WORKERS, workerToken), QUEUES, queueToken, queues.getNextPageToken()),
            workers.getWorkersList().stream().map(worker -> line(worker, visit)).toList(),
            PageLinks.of(
                page.with(QUEUES, queueToken), WORKERS, workerToken, workers.getNextPageToken()));
    return Reply.page(Section.QUEUES, "Queues and workers", "queue/list.jte", view);
  }

  private static QueueLine line(QueueState queue, Visit visit) {
    return new QueueLine(
        queue.getQueue(),
        status(queue),
        queue.getReady(),
        DisplayTime.optional(queue.hasOldestReadyAt(), queue.getOldestReadyAt(), visit.now()),
        queue.getHeld(),
        queue.getPollsWaiting());
  }

  private static StatusTag status(QueueState queue) {
    if (queue.getPollsWaiting() > 0 || queue.getHeld() > 0) {
      return StatusTag.of("served", "active");
    }
    return queue.getReady() > 0 ? StatusTag.of("no worker", "failed") : StatusTag.of("idle", "off");
  }

  private static WorkerLine line(WorkerState worker, Visit visit) {
    return new WorkerLine(
        worker.getWorkerId(),
        worker.getQueuesList(),
        DisplayTime.optional(worker.hasLastPolledAt(), worker.getLastPolledAt(), visit.now()),
        worker.getPollsWaiting(),
        worker.getHeld(),
        DisplayTime.optional(worker.hasLeaseUntil(), worker.getLeaseUntil(), visit.now()));
  }
}
