package dev.hapax.application.run;

import dev.hapax.application.waiting.LookBack;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunReads.Queue;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The queues that workers poll on this node, or polled a moment ago. */
final class Dispatch {
  private final RunReads reads;
  private final InstantSource clock;
  private final LookBack lookBack;
  private final ConcurrentMap<Queue, TaskQueue> queues = new ConcurrentHashMap<>();

  Dispatch(RunReads reads, InstantSource clock) {
    this.reads = reads;
    this.clock = clock;
    this.lookBack = new LookBack(clock);
  }

  /** What nobody here polls for is left to the database. */
  void offer(RunId run, String queue) {
    var known = queues.get(new Queue(run.workspace(), queue));
    if (known != null) {
      known.offer(run);
    }
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
   * Other nodes may have made tasks, or an outcome was never told. One look for all queues: workers
   * may wait at thousands. Nothing comes of a look that fails, there will be another.
   */
  void doubt() {
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
    if (!polled.isEmpty()) {
      var look = lookBack.begin();
      var _ =
          reads
              .ready(polled, look.back())
              .thenAccept(
                  ready -> {
                    ready.forEach(this::doubt);
                    lookBack.seen(look);
                  });
    }
  }

  private void doubt(Queue key) {
    var queue = queues.get(key);
    if (queue != null) {
      queue.doubt();
    }
  }
}
