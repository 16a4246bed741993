package dev.hapax.application.run;

import dev.hapax.domain.Workspace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The workers that polled this node last. They are kept for some minutes; and of very many names,
 * the workers that polled longest ago are forgotten earlier.
 */
final class RecentWorkers {
  static final Duration KEPT = Duration.ofMinutes(10);

  /** Of workers and their queues; with the longest names about 30 MB. */
  static final int MAX_NAMES = 50_000;

  private final InstantSource clock;
  private final LongSupplier nanoTime;

  // guarded by this; the oldest first
  private final Map<Worker, Polled> workers = new LinkedHashMap<>();
  private int names;

  private record Worker(Workspace workspace, String id) {}

  private record Polled(LastPoll poll, long nanos) {
    int names() {
      return 1 + poll.queues().size();
    }
  }

  RecentWorkers(InstantSource clock) {
    this(clock, System::nanoTime);
  }

  /**
   * Remembers nothing yet.
   *
   * @param clock for those who read when a worker polled
   * @param nanoTime for the age: a clock that is set back would keep workers longer
   */
  RecentWorkers(InstantSource clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  synchronized void polled(PollRequest request) {
    var worker = new Worker(request.workspace(), request.worker());
    var before = workers.remove(worker);
    var now =
        new Polled(
            new LastPoll(request.worker(), request.queues(), clock.instant()),
            nanoTime.getAsLong());
    workers.put(worker, now);
    names += now.names() - (before == null ? 0 : before.names());
    forgetOldest();
  }

  private void forgetOldest() {
    var now = nanoTime.getAsLong();
    for (var oldest = workers.values().iterator(); oldest.hasNext(); ) {
      var polled = oldest.next();
      if (names <= MAX_NAMES && now - polled.nanos() < KEPT.toNanos()) {
        return;
      }
      oldest.remove();
      names -= polled.names();
    }
  }

  synchronized List<LastPoll> of(Workspace workspace) {
    forgetOldest();
    return workers.entrySet().stream()
        .filter(worker -> worker.getKey().workspace().equals(workspace))
        .map(worker -> worker.getValue().poll())
        .toList();
  }

  /** How many names are remembered. */
  synchronized int size() {
    return names;
  }
}
