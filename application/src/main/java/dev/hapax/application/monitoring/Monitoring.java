package dev.hapax.application.monitoring;

import dev.hapax.application.monitoring.KnownProblems.Named;
import dev.hapax.application.run.PollRequest;
import dev.hapax.application.run.Tasks;
import dev.hapax.application.run.WorkerPoll;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.Held;
import dev.hapax.domain.monitoring.BacklogReads.Problems;
import dev.hapax.domain.monitoring.BacklogReads.ReadyTasks;
import dev.hapax.domain.monitoring.BacklogReads.RunCount;
import dev.hapax.domain.monitoring.BacklogReads.Servers;
import dev.hapax.domain.monitoring.DatabaseReads;
import dev.hapax.domain.monitoring.DatabaseReads.DatabaseInfo;
import dev.hapax.domain.monitoring.Problem;
import dev.hapax.domain.monitoring.Problem.AtStep;
import dev.hapax.domain.monitoring.Problem.Cause;
import dev.hapax.domain.run.RunStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reports queues, workers and run counts, from the database and the polls of this node, and the
 * state of the database.
 */
public final class Monitoring {
  /** Concurrent reads of definitions: few, so that other reads find room in the queue. */
  static final int AT_ONCE = 50;

  private final DatabaseReads database;
  private final BacklogReads backlog;
  private final DefinitionReads definitions;
  private final Tasks tasks;

  public Monitoring(
      DatabaseReads database, BacklogReads backlog, DefinitionReads definitions, Tasks tasks) {
    this.database = database;
    this.backlog = backlog;
    this.definitions = definitions;
    this.tasks = tasks;
  }

  /** Returns the schema version and the time of the database. */
  public CompletableFuture<DatabaseInfo> database() {
    return database.info();
  }

  /** Lists the queues of a workspace, after this name. */
  public CompletableFuture<Page<QueueState, String>> queues(
      Workspace workspace, int size, Optional<String> after) {
    return backlog
        .ready(workspace)
        .thenCombine(heldByQueue(workspace), (ready, held) -> queues(workspace, ready, held))
        .thenApply(queues -> page(queues, QueueState::queue, size, after));
  }

  private List<QueueState> queues(
      Workspace workspace, List<ReadyTasks> ready, Map<String, Integer> held) {
    var tasksReady =
        ready.stream().collect(Collectors.toMap(ReadyTasks::queue, Function.identity()));
    var polls = count(polls(workspace).stream().flatMap(poll -> poll.queues().stream()).toList());
    return names(tasksReady.keySet(), polls.keySet(), held.keySet()).stream()
        .map(
            queue -> {
              var waiting = Optional.ofNullable(tasksReady.get(queue));
              return new QueueState(
                  queue,
                  waiting.map(ReadyTasks::number).orElse(0),
                  waiting.map(ReadyTasks::age),
                  polls.getOrDefault(queue, 0),
                  held.getOrDefault(queue, 0));
            })
        .toList();
  }

  /** Counts held tasks by queue, which is that of the step in the definition. */
  private CompletableFuture<Map<String, Integer>> heldByQueue(Workspace workspace) {
    return backlog
        .held(workspace)
        .thenCompose(
            held ->
                definitions(held.tasks())
                    .thenApply(
                        known ->
                            held.tasks().stream()
                                .flatMap(
                                    task ->
                                        queue(task, known).map(q -> Map.entry(q, task)).stream())
                                .collect(
                                    Collectors.groupingBy(
                                        Map.Entry::getKey,
                                        Collectors.summingInt(
                                            entry -> entry.getValue().number())))));
  }

  private CompletableFuture<Map<DefinitionId, Definition>> definitions(List<Held> tasks) {
    var ids = tasks.stream().map(Held::definition).distinct().toList();
    return find(ids, new HashMap<>());
  }

  private CompletableFuture<Map<DefinitionId, Definition>> find(
      List<DefinitionId> ids, Map<DefinitionId, Definition> known) {
    if (ids.isEmpty()) {
      return CompletableFuture.completedFuture(known);
    }
    var next = Math.min(ids.size(), AT_ONCE);
    var found = ids.subList(0, next).stream().map(definitions::find).toList();
    return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
        .thenCompose(
            _ -> {
              found.forEach(read -> read.join().ifPresent(one -> known.put(one.id(), one)));
              return find(ids.subList(next, ids.size()), known);
            });
  }

  private static Optional<String> queue(Held task, Map<DefinitionId, Definition> known) {
    return Optional.ofNullable(known.get(task.definition()))
        .filter(definition -> definition.hasStep(task.step()))
        .flatMap(definition -> definition.step(task.step()).work())
        .map(StepDefinition.Work::queue);
  }

  /** Lists what does not go on by itself, the oldest first. */
  public CompletableFuture<KnownProblems> problems(Workspace workspace) {
    return backlog
        .problems(workspace)
        .thenCompose(
            found -> {
              var steps =
                  found.problems().stream().flatMap(problem -> at(problem).stream()).toList();
              return find(
                      steps.stream().map(AtStep::definition).distinct().toList(), new HashMap<>())
                  .thenApply(known -> named(found, known));
            });
  }

  private static KnownProblems named(Problems found, Map<DefinitionId, Definition> known) {
    return new KnownProblems(
        found.isKnown(),
        found.problems().stream()
            .map(problem -> new Named(problem, at(problem).flatMap(step -> step(step, known))))
            .toList());
  }

  private static Optional<AtStep> at(Problem problem) {
    return switch (problem.cause()) {
      case Cause.RunsFailed(var at, _) -> Optional.of(at);
      case Cause.StepsInDoubt(var at) -> Optional.of(at);
      case Cause.OperationsInDoubt _,
          Cause.OperationsAbandoned _,
          Cause.EntitiesAbandoned _,
          Cause.IntentsRefused _ ->
          Optional.empty();
    };
  }

  private static Optional<String> step(AtStep at, Map<DefinitionId, Definition> known) {
    return Optional.ofNullable(known.get(at.definition()))
        .filter(definition -> definition.hasStep(at.step()))
        .map(definition -> definition.step(at.step()).name());
  }

  /** Lists the servers of the first cell, and counts the intents that wait for them. */
  public CompletableFuture<Servers> servers() {
    return backlog.servers();
  }

  /** Lists the workers of a workspace, after this id. */
  public CompletableFuture<Page<WorkerState, String>> workers(
      Workspace workspace, int size, Optional<String> after) {
    return backlog
        .held(workspace)
        .thenApply(held -> workers(workspace, held.tasks()))
        .thenApply(workers -> page(workers, WorkerState::worker, size, after));
  }

  private List<WorkerState> workers(Workspace workspace, List<Held> held) {
    var lastPolls =
        tasks.lastPolls(workspace).stream()
            .collect(Collectors.toMap(WorkerPoll::worker, Function.identity()));
    var polls = count(polls(workspace).stream().map(PollRequest::worker).toList());
    var byWorker = held.stream().collect(Collectors.groupingBy(Held::worker));
    return names(lastPolls.keySet(), polls.keySet(), byWorker.keySet()).stream()
        .map(
            worker -> {
              var own = byWorker.getOrDefault(worker, List.of());
              return new WorkerState(
                  worker,
                  Optional.ofNullable(lastPolls.get(worker)),
                  polls.getOrDefault(worker, 0),
                  own.stream().mapToInt(Held::number).sum(),
                  own.stream().map(Held::leaseUntil).max(Instant::compareTo));
            })
        .toList();
  }

  private List<PollRequest> polls(Workspace workspace) {
    return tasks.waiting().stream().filter(poll -> poll.workspace().equals(workspace)).toList();
  }

  /**
   * Counts runs by status and definition.
   *
   * @param statuses to count; none = every status
   * @param definitions whose runs are counted; none = all
   */
  public CompletableFuture<List<RunCount>> runs(
      Workspace workspace, Set<RunStatus> statuses, Set<String> definitions) {
    return backlog
        .runs(workspace, statuses)
        .thenApply(
            counts ->
                counts.stream()
                    .filter(
                        count -> definitions.isEmpty() || definitions.contains(count.definition()))
                    .limit(BacklogReads.GROUP_LIMIT)
                    .toList());
  }

  private static Map<String, Integer> count(List<String> names) {
    return names.stream()
        .collect(Collectors.groupingBy(Function.identity(), Collectors.summingInt(_ -> 1)));
  }

  @SafeVarargs
  private static Set<String> names(Collection<String>... some) {
    var names = new TreeSet<String>();
    for (var each : some) {
      names.addAll(each);
    }
    return names;
  }

  private static <T> Page<T, String> page(
      List<T> sorted, Function<T, String> name, int size, Optional<String> after) {
    var rest =
        sorted.stream()
            .filter(item -> after.filter(last -> name.apply(item).compareTo(last) <= 0).isEmpty())
            .limit(size + 1L)
            .toList();
    return rest.size() <= size
        ? new Page<>(rest, Optional.empty())
        : new Page<>(rest.subList(0, size), Optional.of(name.apply(rest.get(size - 1))));
  }
}
