package dev.hapax.domain.run;

import dev.hapax.domain.Page;
import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.SignalFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write. */
public interface RunReads {
  CompletableFuture<Optional<Run>> find(RunId id);

  /** The run a key leads to. */
  CompletableFuture<Optional<RunId>> keyed(RunKeyId key);

  /** Newest first; what is started later does not move what is on a page. */
  CompletableFuture<Page<Run, UUID>> list(Query query);

  /** In order, from the one behind {@code after}; a page ends early rather than be too large. */
  CompletableFuture<Page<RunEvent, Long>> events(RunId id, long after, int size);

  /** What was done with this claim's grant to end it, if it was. */
  CompletableFuture<Optional<RunEvent>> endedBy(TaskClaim claim);

  /** Whether this request has retried the run. */
  CompletableFuture<Boolean> isRetried(RunId id, String requestId);

  /** The unconsumed signals in order of arrival. */
  CompletableFuture<List<Received>> inbox(RunId id, int atMost);

  /** The signal that let this step go on last; empty = none did, or it is consumed. */
  CompletableFuture<Optional<Received>> wakingSignal(RunId id, int step);

  /** The oldest unconsumed signal that this lets pass. */
  CompletableFuture<Optional<Received>> firstOf(RunId id, SignalFilter filter);

  /**
   * What signal steps were completed with, in order.
   *
   * @param steps indexes of signal steps, all of them completed
   */
  CompletableFuture<List<SignalOutput>> signalOutputs(RunId id, List<Integer> steps);

  /** What code has recorded in this step, in order. */
  CompletableFuture<List<Recorded>> recorded(RunId id, int step, int atMost);

  /** Where workers look for tasks. */
  record Queue(Workspace workspace, String name) {}

  /**
   * Runs whose step workers of the queue may take by now, longest due first.
   *
   * @param back for how long at most, by the database's clock; empty = however long
   */
  CompletableFuture<List<RunId>> ready(
      Workspace workspace, String queue, Optional<Duration> back, int atMost);

  /**
   * Those of these queues that have something ready.
   *
   * @param back for how long at most, by the database's clock; empty = however long
   */
  CompletableFuture<Set<Queue>> ready(Set<Queue> queues, Optional<Duration> back);

  /**
   * Runs that the server itself has to advance within this time, by the database's clock, soonest
   * first.
   *
   * @param back overdue for how long at most, by the database's clock; empty = however long
   */
  CompletableFuture<List<Due>> due(Duration ahead, Optional<Duration> back, int atMost);

  /** What was granted to this poll and is still held. */
  CompletableFuture<List<RunId>> polled(Workspace workspace, UUID poll);

  /** The versions of those of these runs that exist. */
  CompletableFuture<Map<RunId, Long>> versions(Set<RunId> ids);

  /** A signal with what it says. */
  record Received(
      String signalId,
      String type,
      Optional<SourceHook> hook,
      Optional<Payload> payload,
      Instant at) {}

  /**
   * A signal step with what its signal said.
   *
   * @param step its index
   */
  record SignalOutput(int step, Optional<Payload> output) {}

  /** A step that code named, with what it came to. */
  record Recorded(String name, Payload output) {}

  /**
   * A run that has to be looked at.
   *
   * @param in how long until then, by the database's clock; not positive = overdue
   */
  record Due(RunId run, Duration in) {
    public boolean isOver() {
      return !in.isPositive();
    }
  }

  /**
   * A part of a list.
   *
   * @param after the page begins behind it; empty = with the newest
   */
  record Query(Workspace workspace, RunFilter filter, int size, Optional<UUID> after) {}
}
