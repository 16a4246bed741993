package dev.hapax.application.run;

import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.util.Map;

/** Finds out which of the runs somebody waits for here were changed elsewhere. */
final class ForeignRuns {
  private final RunReads reads;
  private final Waiters<RunId> waiters;
  private volatile Map<RunId, Long> before = Map.of();

  ForeignRuns(RunReads reads, Waiters<RunId> waiters) {
    this.reads = reads;
    this.waiters = waiters;
  }

  void look() {
    var awaited = waiters.keys();
    if (awaited.isEmpty()) {
      before = Map.of();
      return;
    }
    var _ = reads.versions(awaited).thenAccept(this::wakeChanged);
  }

  private void wakeChanged(Map<RunId, Long> now) {
    var known = before;
    before = now;
    waiters.wake(
        now.entrySet().stream()
            .filter(run -> !run.getValue().equals(known.get(run.getKey())))
            .map(Map.Entry::getKey)
            .toList());
  }
}
