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

/** The queues that workers poll on this node, or polled a moment ago. */
final class PolledQueues {
  private static final Duration REST = Duration.ofMillis(200);

  private final RunReads reads;
  private final InstantSource clock;
  private final ScanWindow lookBack;
  private final ConcurrentMap<Queue, TaskQueue> queues = new ConcurrentHashMap<>();
  private final SingleFlight query;

  PolledQueues(RunReads reads, InstantSource clock, ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.lookBack = new ScanWindow(clock);
    this.query =
        new SingleFlight(
            this::wakeReady,
            REST,
            new FailureLog(PolledQueues.class, "query for ready tasks"),
            timer);
  }

  /** What nobody here polls for is left to the database. */
  void offer(RunId run, String queue) {
    var known = queues.get(new Queue(run.workspace(), queue));
    if (known != null) {
      known.offer(run);
    }
  }

  /**
   * A poll that keeps a place for a task of this queue, which is about to become ready.
   *
   * @param batch the time of the decisions that share a poll, since they are committed together
   * @param submittedNanos when the command was submitted that makes it ready
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
                            : known.used()))
        .toList();
  }

  int size() {
    return queues.size();
  }

  /** Whether a worker waits here for tasks of this queue. */
  boolean isPolled(Workspace workspace, String queue) {
    var known = queues.get(new Queue(workspace, queue));
    return known != null && known.hasPolls();
  }

  /**
   * Other nodes may have made tasks, or an outcome was lost. One query serves all queues, of which
   * workers may poll thousands, and all notifications since the last one.
   */
  void doubt() {
    query.request();
  }

  private CompletableFuture<?> wakeReady() {
    var polled = new HashSet<Queue>();
    queues.forEach(
        (key, queue) -> {
          if (queue.hasPolls()) {
            polled.add(key);
          } else {
            queue.doubt();
            queues.computeIfPresent(key, (_, known) -> known.isUnused() ? null : known);
          }
        });
    if (polled.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    var look = lookBack.begin();
    return reads
        .ready(polled, look.back())
        .thenAccept(
            ready -> {
              ready.forEach(this::doubt);
              lookBack.seen(look);
            });
  }

  private void doubt(Queue key) {
    var queue = queues.get(key);
    if (queue != null) {
      queue.doubt();
    }
  }
}
