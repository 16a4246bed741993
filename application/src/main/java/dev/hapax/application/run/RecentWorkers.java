package dev.hapax.application.run;

import dev.hapax.application.waiting.RecentEntries;
import dev.hapax.domain.Workspace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The workers that polled this node recently. Entries expire after some minutes; if there are very
 * many names, the oldest ones expire earlier.
 */
final class RecentWorkers {
  static final Duration KEPT = Duration.ofMinutes(10);

  /** The largest number of worker and queue names; with the longest names about 30 MB. */
  static final int MAX_NAMES = 50_000;

  private final InstantSource clock;
  private final RecentEntries<WorkerId, Polled> workers;

  private record Polled(Workspace workspace, WorkerPoll poll) {
    int names() {
      return 1 + poll.queues().size();
    }
  }

  RecentWorkers(InstantSource clock) {
    this(clock, System::nanoTime);
  }

  /**
   * Creates an empty list.
   *
   * @param clock for the displayed time of a poll
   * @param nanoTime for the age of entries: a clock that is set back would keep workers longer
   */
  RecentWorkers(InstantSource clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.workers = new RecentEntries<>(KEPT, MAX_NAMES, Polled::names, nanoTime);
  }

  void polled(PollRequest request) {
    var poll = new WorkerPoll(request.worker(), request.queues(), clock.instant());
    workers.put(
        new WorkerId(request.workspace(), request.worker()), new Polled(request.workspace(), poll));
  }

  List<WorkerPoll> of(Workspace workspace) {
    return workers
        .values()
        .filter(polled -> polled.workspace().equals(workspace))
        .map(Polled::poll)
        .toList();
  }

  /** The number of names. */
  int size() {
    return workers.weight();
  }
}
