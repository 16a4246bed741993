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

/** Reads runs without locks; every acknowledged write is visible. */
public interface RunReads {
  CompletableFuture<Optional<Run>> find(RunId id);

  /** Finds the run that an idempotency key started. */
  CompletableFuture<Optional<RunId>> keyed(RunKeyId key);

  /** Lists runs, newest first; runs that start later do not shift the pages. */
  CompletableFuture<Page<Run, UUID>> list(Query query);

  /**
   * Lists events in order, from the first after version {@code after}; a page may end early to
   * limit its size.
   */
  CompletableFuture<Page<RunEvent, Long>> events(RunId id, long after, int size);

  /** Finds the event with which the holder of this claim ended its grant. */
  CompletableFuture<Optional<RunEvent>> endedBy(TaskClaim claim);

  /** Returns whether this request has retried or settled the run. */
  CompletableFuture<Boolean> isReopened(RunId id, String requestId);

  /** Lists the unconsumed signals in order of arrival. */
  CompletableFuture<List<Received>> inbox(RunId id, int atMost);

  /** Finds the signal that last resumed this step; empty = none, or it is consumed. */
  CompletableFuture<Optional<Received>> wakingSignal(RunId id, int step);

  /** Finds the oldest unconsumed signal that matches. */
  CompletableFuture<Optional<Received>> firstOf(RunId id, SignalFilter filter);

  /**
   * Lists the outputs of signal steps, in order.
   *
   * @param steps indexes of completed signal steps
   */
  CompletableFuture<List<SignalOutput>> signalOutputs(RunId id, List<Integer> steps);

  /** Lists the parts of this step: the first page of those with an output, and the others. */
  CompletableFuture<Parts> parts(RunId id, int step);

  /**
   * Lists the parts of this step with an output, in the order of recording, from the first after
   * version {@code after}; a page may end early to limit its size.
   */
  CompletableFuture<Page<Recorded, Long>> recorded(RunId id, int step, long after);

  /** A task queue of a workspace. */
  record Queue(Workspace workspace, String name) {}

  /**
   * Lists runs whose step is ready for workers of the queue, longest due first.
   *
   * @param window only runs that became due within this time, by the database's clock; empty = all
   */
  CompletableFuture<List<RunId>> ready(
      Workspace workspace, String queue, Optional<Duration> window, int atMost);

  /**
   * Returns those of the queues that have a ready run.
   *
   * @param window only runs that became due within this time, by the database's clock; empty = all
   */
  CompletableFuture<Set<Queue>> ready(Set<Queue> queues, Optional<Duration> window);

  /**
   * Lists runs that the server has to advance within this time, by the database's clock, soonest
   * first.
   *
   * @param window only runs overdue for at most this time, by the database's clock; empty = all
   */
  CompletableFuture<List<Due>> due(Duration ahead, Optional<Duration> window, int atMost);

  /** Lists the runs that were granted to this poll and are still held. */
  CompletableFuture<List<RunId>> polled(Workspace workspace, UUID poll);

  /** Returns the versions of those runs that exist. */
  CompletableFuture<Map<RunId, Long>> versions(Set<RunId> ids);

  /** A received signal with its payload. */
  record Received(
      String signalId,
      String type,
      Optional<SourceHook> hook,
      Optional<Payload> payload,
      Instant at) {}

  /**
   * The output of a signal step: the payload of its signal.
   *
   * @param step its index
   */
  record SignalOutput(int step, Optional<Payload> output) {}

  /**
   * The parts of a step.
   *
   * @param open the parts without an output, in the order of their last change; the first {@link
   *     #MAX_OPEN}
   */
  record Parts(Page<Recorded, Long> recorded, List<OpenPart> open) {
    public static final int MAX_OPEN = 1_000;

    /** The parts of a step that has none. */
    public static final Parts NONE = new Parts(new Page<>(List.of(), Optional.empty()), List.of());

    public Parts {
      open = List.copyOf(open);
    }
  }

  /**
   * A part with its output.
   *
   * @param version of the event that recorded it
   */
  record Recorded(String name, long version, Payload output, PartTraits traits) {
    /** The largest number on a page. */
    public static final int MAX_LISTED = 10_000;
  }

  /** A part without an output. */
  record OpenPart(String name, Part.Open part) {}

  /**
   * A run that the server has to advance.
   *
   * @param in the time until it is due, by the database's clock; not positive = overdue
   */
  record Due(RunId run, Duration in) {
    public boolean isOver() {
      return !in.isPositive();
    }
  }

  /**
   * The request for one page of a list.
   *
   * @param after the last run of the previous page; empty = the first page
   */
  record Query(Workspace workspace, RunFilter filter, int size, Optional<UUID> after) {}
}
