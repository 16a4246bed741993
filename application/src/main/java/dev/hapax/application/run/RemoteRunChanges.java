package dev.hapax.application.run;

import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Finds the runs awaited on this node whose version has changed since the previous query. */
final class RemoteRunChanges {
  private final RunReads reads;
  private volatile Map<RunId, Long> before = Map.of();

  RemoteRunChanges(RunReads reads) {
    this.reads = reads;
  }

  /**
   * Returns those of the runs that have changed, or were not awaited before. One call at a time.
   */
  CompletableFuture<Set<RunId>> changed(Set<RunId> awaited) {
    return reads.versions(awaited).thenApply(this::changed);
  }

  private Set<RunId> changed(Map<RunId, Long> now) {
    var known = before;
    before = now;
    return now.entrySet().stream()
        .filter(run -> !run.getValue().equals(known.get(run.getKey())))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }
}
