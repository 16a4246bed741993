package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.ScanWindow;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunReads.Queue;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;

/** The queues that workers poll on this node, or polled recently. */
final class PolledQueues {
  private static final Duration REST = Duration.ofMillis(200);

  private final RunReads reads;
  private final InstantSource clock;
  private final ScanWindow window;
  private final ConcurrentMap<Queue, TaskQueue> queues = new ConcurrentHashMap<>();
  private final SingleFlight query;

  PolledQueues(RunReads reads, InstantSource clock, ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.window = new ScanWindow(clock);
    this.query =
        new SingleFlight(
            this::wakeReady,
            REST,
            new FailureLog(PolledQueues.class, "query for ready tasks"),
            timer);
  }

  /**
   * Offers a ready run to the polls of its queue; without a poll on this node, the database keeps
   * it.
   */
  void offer(RunId run, String queue) {
    var known = queues.get(new Queue(run.workspace(), queue));
    if (known != null) {
      known.offer(run);
    }
  }

  /**
   * Reserves a place in a poll of this queue for a task that is about to become ready.
   *
   * @param batch the time of the decisions that may share a poll, because they are committed
   *     together
   * @param submittedNanos when the command that makes the task ready was submitted
   */
  Optional<TaskPoll> reserve(
      Workspace workspace, String queue, Instant batch, long submittedNanos) {
    return Optional.ofNullable(queues.get(new Queue(workspace, queue)))
        .flatMap(known -> known.reserve(batch, submittedNanos));
  }

  List<TaskQueue> queues(Workspace workspace, List<String> names) {
    return names.stream()
        .map(
            name ->
                queues.compute(
                    new Queue(workspace, name),
                    (_, known) ->
                        known == null
                            ? new TaskQueue(workspace, name, reads, clock)
                            : known.touched()))
        .toList();
  }

  int size() {
    return queues.size();
  }

  /** Whether a worker on this node waits for tasks of this queue. */
  boolean isPolled(Workspace workspace, String queue) {
    var known = queues.get(new Queue(workspace, queue));
    return known != null && known.hasPolls();
  }

  /**
   * Requests a query for ready tasks of other nodes or lost outcomes. One query serves all queues,
   * of which there may be thousands, and all notifications since the last one.
   */
  void requestScan() {
    query.request();
  }

  private CompletableFuture<?> wakeReady() {
    var polled = new HashSet<Queue>();
    queues.forEach(
        (key, queue) -> {
          if (queue.hasPolls()) {
            polled.add(key);
          } else {
            queue.rescan();
            queues.computeIfPresent(key, (_, known) -> known.isUnused() ? null : known);
          }
        });
    if (polled.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    var scan = window.begin();
    return reads
        .ready(polled, scan.window())
        .thenAccept(
            ready -> {
              ready.forEach(this::rescan);
              window.completed(scan);
            });
  }

  private void rescan(Queue key) {
    var queue = queues.get(key);
    if (queue != null) {
      queue.rescan();
    }
  }
}
