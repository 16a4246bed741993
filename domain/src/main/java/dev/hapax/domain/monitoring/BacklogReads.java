package dev.hapax.domain.monitoring;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.security.AllowedNames;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Counts unfinished work. Each count uses an index and stops at a limit, so its cost depends
 * neither on finished work nor on the size of the backlog.
 */
public interface BacklogReads {
  /** The limit of the count of one queue, status or set of timers. */
  int COUNT_LIMIT = 10_000;

  /** The limit of the counts of FAILED and CANCELLED runs for metrics, which are kept for long. */
  int ENDED_LIMIT = 1_000;

  /** The largest number of counted queues, or pairs of workspace and status. */
  int GROUP_LIMIT = 1_000;

  /** Counts the backlog of all workspaces, for metrics. */
  CompletableFuture<Backlog> backlog();

  /** Lists the queues of a workspace that have ready tasks, by name. */
  CompletableFuture<List<ReadyTasks>> ready(Workspace workspace);

  /**
   * Lists the tasks that workers hold, among the newest {@link #COUNT_LIMIT} running and paused
   * runs each.
   */
  CompletableFuture<HeldTasks> held(Workspace workspace);

  /**
   * Counts the runs of a workspace by status and definition: of each status the newest {@link
   * #COUNT_LIMIT}, and of COMPLETED those among the newest runs of any status.
   *
   * @param statuses to count; none = every status
   */
  CompletableFuture<List<RunCount>> runs(Workspace workspace, Set<RunStatus> statuses);

  /** Lists what does not go on by itself, the oldest first. */
  CompletableFuture<Problems> problems(Workspace workspace);

  /**
   * Counts what does not go on by itself in several workspaces: those with records or a placement,
   * or those that are named.
   *
   * @param after the name before the first one; empty = from the beginning
   * @param most the largest number of workspaces
   */
  CompletableFuture<StuckWork> stuck(AllowedNames names, String after, int most);

  /** Lists the servers, those that ended without a word in the last day too. */
  CompletableFuture<Servers> servers();

  /**
   * The problems of a workspace.
   *
   * @param isKnown whether it has any record; it may be misspelt otherwise
   */
  record Problems(boolean isKnown, List<Problem> problems) {
    /** The largest number of problems of one kind. */
    public static final int MOST = 200;

    public Problems {
      problems = List.copyOf(problems);
    }
  }

  /**
   * What does not go on by itself in several workspaces.
   *
   * @param workspaces by name
   * @param ready queues of these and other workspaces that have ready tasks; their numbers are not
   *     counted
   * @param held queues of these and other workspaces whose tasks workers hold
   */
  record StuckWork(List<StuckCounts> workspaces, List<ReadyTasks> ready, List<QueueCount> held) {
    public StuckWork {
      workspaces = List.copyOf(workspaces);
      ready = List.copyOf(ready);
      held = List.copyOf(held);
    }
  }

  /** What does not go on by itself in one workspace; at most {@link #ENDED_LIMIT} of each. */
  record StuckCounts(
      Workspace workspace,
      int failedRuns,
      int operationsInDoubt,
      int stepsInDoubt,
      int operationsAbandoned,
      int entitiesAbandoned) {}

  /**
   * A server process.
   *
   * @param seenAt its last heartbeat, by the clock of the database
   * @param isRunning whether that is less than 60 seconds ago
   * @param cells those beside the first one that it can use
   * @param facts empty = its version reports none, or it has just started
   */
  record Server(
      UUID id,
      String version,
      Instant startedAt,
      Instant seenAt,
      boolean isRunning,
      List<String> cells,
      Optional<NodeFacts> facts) {}

  /**
   * The servers of a database, and the intents of SQL that wait for them.
   *
   * @param intents at most {@link #COUNT_LIMIT}
   * @param intentAge how long ago the first of them was posted
   */
  record Servers(List<Server> servers, int intents, Duration intentAge) {
    public Servers {
      servers = List.copyOf(servers);
    }
  }

  /**
   * The backlog at one time.
   *
   * @param held the tasks that workers hold, of the {@link #COUNT_LIMIT} runs whose lease or timer
   *     ends first
   * @param abandoned the operations whose lease expired more than a minute ago, of the first {@link
   *     #COUNT_LIMIT}
   * @param timersLate the number of timers, retries, wait timeouts and lease expiries that are
   *     overdue by more than {@link #LATE}
   * @param timerLag how long the first of them has been overdue
   * @param intents the number of intents that no server has taken; at most {@link #COUNT_LIMIT}
   * @param intentAge how long ago the first of them was posted
   * @param nodes the servers that the database has seen within a minute
   */
  record Backlog(
      List<ReadyTasks> ready,
      List<QueueCount> held,
      List<StatusCount> runs,
      List<WorkspaceCount> indeterminate,
      List<WorkspaceCount> abandoned,
      int timersLate,
      Duration timerLag,
      int intents,
      Duration intentAge,
      List<NodeCount> nodes) {
    public static final Duration LATE = Duration.ofSeconds(5);

    public Backlog {
      ready = List.copyOf(ready);
      held = List.copyOf(held);
      runs = List.copyOf(runs);
      indeterminate = List.copyOf(indeterminate);
      abandoned = List.copyOf(abandoned);
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * The ready tasks of one queue.
   *
   * @param number at most {@link #COUNT_LIMIT}
   * @param age how long the first of them has been ready
   */
  record ReadyTasks(Workspace workspace, String queue, int number, Duration age) {}

  /** The number of tasks of one queue that workers hold; at most {@link #COUNT_LIMIT}. */
  record QueueCount(Workspace workspace, String queue, int number) {}

  /**
   * The number of runs of one status; at most {@link #COUNT_LIMIT}, of ended runs {@link
   * #ENDED_LIMIT}.
   */
  record StatusCount(Workspace workspace, RunStatus status, int number) {}

  /** The number of records of one workspace; at most {@link #COUNT_LIMIT}. */
  record WorkspaceCount(Workspace workspace, int number) {}

  /** The number of servers of one version; at most {@link #GROUP_LIMIT} versions. */
  record NodeCount(String version, int number) {}

  /**
   * The number of runs of one status and definition.
   *
   * @param truncated this status has more runs than were counted
   */
  record RunCount(RunStatus status, String definition, int number, boolean truncated) {}

  /**
   * The tasks that workers hold.
   *
   * @param truncated there are more runs than were searched
   */
  record HeldTasks(List<Held> tasks, boolean truncated) {
    public HeldTasks {
      tasks = List.copyOf(tasks);
    }
  }

  /** The tasks of one step that one worker holds. */
  record Held(String worker, DefinitionId definition, int step, int number, Instant leaseUntil) {}
}
