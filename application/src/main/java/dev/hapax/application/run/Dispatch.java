package dev.hapax.application.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** All queues that workers have asked this node for. */
final class Dispatch {
  private record Key(Workspace workspace, String queue) {}

  private final RunReads reads;
  private final ConcurrentMap<Key, TaskQueue> queues = new ConcurrentHashMap<>();

  Dispatch(RunReads reads) {
    this.reads = reads;
  }

  /** What nobody here polls for is left to the database. */
  void offer(RunId run, String queue) {
    var known = queues.get(new Key(run.workspace(), queue));
    if (known != null) {
      known.offer(run);
    }
  }

  List<TaskQueue> queues(Workspace workspace, List<String> names) {
    return names.stream()
        .map(
            name ->
                queues.computeIfAbsent(
                    new Key(workspace, name), key -> new TaskQueue(workspace, key.queue(), reads)))
        .toList();
  }

  /** Whether a worker waits here for tasks of this queue. */
  boolean isPolled(Workspace workspace, String queue) {
    var known = queues.get(new Key(workspace, queue));
    return known != null && known.hasPolls();
  }

  /** Other nodes may have made tasks, or an outcome was never told. */
  void doubt() {
    queues.values().stream().filter(TaskQueue::hasPolls).forEach(TaskQueue::doubt);
  }
}
