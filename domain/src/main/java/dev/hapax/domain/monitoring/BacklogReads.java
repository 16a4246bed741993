package dev.hapax.domain.monitoring;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Counts work that has not ended. Each count goes by an index and stops at a limit, so its cost
 * depends neither on finished work nor on the size of a backlog.
 */
public interface BacklogReads {
  /** Counting of one queue, status or set of timers stops at this number. */
  int COUNT_LIMIT = 10_000;

  /** Counting of FAILED and CANCELLED runs for metrics stops here: these stay for long. */
  int ENDED_LIMIT = 1_000;

  /** At most so many queues, or pairs of workspace and status, are counted. */
  int GROUP_LIMIT = 1_000;

  /** The backlog of all workspaces, for metrics. */
  CompletableFuture<Backlog> backlog();

  /** The queues of a workspace that have ready tasks, by name. */
  CompletableFuture<List<ReadyTasks>> ready(Workspace workspace);

  /** Tasks that workers hold, of the newest {@link #COUNT_LIMIT} running and paused runs each. */
  CompletableFuture<HeldTasks> held(Workspace workspace);

  /**
   * The runs of a workspace by status and definition: of each status the newest {@link
   * #COUNT_LIMIT}, and for COMPLETED what is among the newest runs of any status.
   */
  CompletableFuture<List<RunCount>> runs(Workspace workspace, Optional<RunStatus> status);

  /**
   * All of it at one time.
   *
   * @param timersLate timers, retries and ends of waits and leases that should have been handled
   *     more than {@link #LATE} ago
   * @param timerLag for how long the first of them has been late
   */
  record Backlog(
      List<ReadyTasks> ready,
      List<StatusCount> runs,
      List<WorkspaceCount> indeterminate,
      int timersLate,
      Duration timerLag) {
    public static final Duration LATE = Duration.ofSeconds(5);

    public Backlog {
      ready = List.copyOf(ready);
      runs = List.copyOf(runs);
      indeterminate = List.copyOf(indeterminate);
    }
  }

  /**
   * Tasks of one queue that a worker could take now.
   *
   * @param number at most {@link #COUNT_LIMIT}
   * @param age for how long the first of them has been ready
   */
  record ReadyTasks(Workspace workspace, String queue, int number, Duration age) {}

  /** Runs of one status; at most {@link #COUNT_LIMIT}, of ended ones {@link #ENDED_LIMIT}. */
  record StatusCount(Workspace workspace, RunStatus status, int number) {}

  /** Records of one workspace; at most {@link #COUNT_LIMIT}. */
  record WorkspaceCount(Workspace workspace, int number) {}

  /**
   * Runs of one status and definition.
   *
   * @param truncated there are more runs of this status than were counted
   */
  record RunCount(RunStatus status, String definition, int number, boolean truncated) {}

  /**
   * What workers hold.
   *
   * @param truncated there are more runs than were looked at
   */
  record HeldTasks(List<Held> tasks, boolean truncated) {
    public HeldTasks {
      tasks = List.copyOf(tasks);
    }
  }

  /** Tasks of one step that one worker holds. */
  record Held(String worker, DefinitionId definition, int step, int number, Instant leaseUntil) {}
}
