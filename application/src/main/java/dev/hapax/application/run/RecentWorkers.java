package dev.hapax.application.run;

import dev.hapax.domain.Workspace;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The workers that polled this node last. */
final class RecentWorkers {
  private static final int KEPT = 10_000;

  private final InstantSource clock;
  private final Map<Worker, LastPoll> workers =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Worker, LastPoll> eldest) {
          return size() > KEPT;
        }
      };

  private record Worker(Workspace workspace, String id) {}

  RecentWorkers(InstantSource clock) {
    this.clock = clock;
  }

  synchronized void polled(PollRequest request) {
    workers.put(
        new Worker(request.workspace(), request.worker()),
        new LastPoll(request.worker(), request.queues(), clock.instant()));
  }

  synchronized List<LastPoll> of(Workspace workspace) {
    return workers.entrySet().stream()
        .filter(worker -> worker.getKey().workspace().equals(workspace))
        .map(Map.Entry::getValue)
        .toList();
  }
}
