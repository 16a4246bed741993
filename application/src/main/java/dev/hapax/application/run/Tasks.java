package dev.hapax.application.run;

import dev.hapax.application.waiting.ForeignPolls;
import dev.hapax.application.waiting.Places;
import dev.hapax.application.waiting.RecentPolls;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.FailTaskOutcome;
import dev.hapax.domain.run.GiveBackTask;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RecordStepOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.SuspendTask;
import dev.hapax.domain.run.SuspendTaskOutcome;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** What workers do: ask for tasks, keep them, end them. */
public final class Tasks {
  private final Ledger ledger;
  private final RunReads reads;
  private final TaskReading tasks;
  private final LongSupplier random;
  private final RunRoutes routes;
  private final Dispatch dispatch;
  private final Places places;
  private final ForeignPolls foreign;
  private final ScheduledExecutorService timer;
  private final RecentPolls<UUID, RunId> recent = new RecentPolls<>();
  private final ConcurrentMap<UUID, Poll> underWay = new ConcurrentHashMap<>();
  private final Set<Poll> polls = ConcurrentHashMap.newKeySet();
  private final RecentWorkers workers;
  private volatile boolean stopping;

  Tasks(
      Ledger ledger,
      RunReads reads,
      InstantSource clock,
      RunRoutes routes,
      Dispatch dispatch,
      Places places,
      ForeignPolls foreign,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.tasks = new TaskReading(reads, clock);
    this.random = random;
    this.routes = routes;
    this.dispatch = dispatch;
    this.places = places;
    this.foreign = foreign;
    this.timer = timer;
    this.workers = new RecentWorkers(clock);
  }

  /** Tasks, as soon as there are some. Cancelling the future gives back what comes too late. */
  public CompletableFuture<List<Task>> poll(PollRequest request, Duration wait) {
    places.take(request.workspace());
    workers.polled(request);
    var startNanos = System.nanoTime();
    var granted = new CompletableFuture<Handout>();
    var answer = granted.thenCompose(handout -> tasks(request, handout));
    var _ =
        answer.whenComplete(
            (_, _) -> {
              places.free(request.workspace());
              if (answer.isCancelled() && !granted.cancel(false)) {
                var _ = granted.thenAccept(this::giveBack);
              }
            });
    var _ =
        again(request, startNanos)
            .whenComplete(
                (again, failure) -> {
                  if (failure != null) {
                    granted.completeExceptionally(failure);
                  } else if (again.runs().isEmpty()) {
                    follow(start(request, startNanos, wait), granted);
                  } else {
                    granted.complete(again);
                  }
                });
    return answer;
  }

  /** Cancelling the outer one ends the poll. */
  private void follow(CompletableFuture<Handout> poll, CompletableFuture<Handout> outer) {
    var _ = outer.whenComplete((_, _) -> poll.cancel(false));
    var _ =
        poll.whenComplete(
            (handout, failure) -> {
              if (failure != null) {
                outer.completeExceptionally(failure);
              } else if (!outer.complete(handout)) {
                giveBack(handout);
              }
            });
  }

  private void giveBack(Handout handout) {
    handout.runs().forEach(this::giveBack);
  }

  private CompletableFuture<Handout> again(PollRequest request, long startNanos) {
    if (request.attempt().isEmpty()) {
      return CompletableFuture.completedFuture(Handout.NOTHING);
    }
    var attempt = request.attempt().get();
    var earlier = recent.of(attempt);
    var known =
        earlier.isEmpty() && foreign.mayHaveServed()
            ? reads.polled(request.workspace(), attempt)
            : CompletableFuture.completedFuture(earlier);
    return known.thenCompose(runs -> again(request, attempt, runs, startNanos));
  }

  /** What this poll was granted before and still holds. */
  private CompletableFuture<Handout> again(
      PollRequest request, UUID attempt, List<RunId> runs, long startNanos) {
    var waited = Duration.ofNanos(System.nanoTime() - startNanos);
    var claims =
        runs.stream()
            .map(
                run ->
                    ledger.submit(
                        new ClaimTask(run, "", request.worker(), Optional.of(attempt), 0)))
            .toList();
    return Handout.of(claims, waited);
  }

  private CompletableFuture<Handout> start(PollRequest request, long startNanos, Duration wait) {
    var poll =
        new Poll(
            request,
            startNanos,
            dispatch.queues(request.workspace(), request.queues()),
            ledger,
            routes,
            random,
            timer);
    polls.add(poll);
    // whoever sends a poll again has given up on the first
    request.attempt().map(attempt -> underWay.put(attempt, poll)).ifPresent(Poll::end);
    var granted = poll.start(stopping ? Duration.ZERO : wait);
    var _ =
        granted.whenComplete(
            (_, _) -> {
              polls.remove(poll);
              request.attempt().ifPresent(attempt -> underWay.remove(attempt, poll));
            });
    return granted;
  }

  private CompletableFuture<List<Task>> tasks(PollRequest request, Handout granted) {
    var runs = granted.runs();
    request
        .attempt()
        .filter(_ -> !runs.isEmpty())
        .ifPresent(attempt -> recent.keep(attempt, runs.stream().map(Run::id).toList()));
    return tasks.of(granted);
  }

  /** The task of a run that is held. */
  public CompletableFuture<Task> task(Run run) {
    return tasks.of(run);
  }

  /** Frees what was granted to a caller that has gone. */
  public void giveBack(Run run) {
    giveBack(run, ledger, routes);
  }

  static void giveBack(Run run, Ledger ledger, RunRoutes routes) {
    run.claim()
        .ifPresent(
            claim -> {
              var _ =
                  ledger
                      .submit(new GiveBackTask(claim))
                      .thenAccept(after -> after.ifPresent(routes::saw));
            });
  }

  public CompletableFuture<CompleteTaskOutcome> complete(CompleteTask command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case CompleteTaskOutcome.Completed(var run, _) -> seen(run, outcome);
                  case TaskLost lost ->
                      done(
                          command.claim(),
                          lost,
                          event ->
                              event.change() instanceof RunChange.StepCompleted
                                  ? lost.run()
                                      .map(run -> new CompleteTaskOutcome.Completed(run, true))
                                  : Optional.empty());
                  case CompleteTaskOutcome.NoSuchSignal _, CompleteTaskOutcome.StateTooLarge _ ->
                      CompletableFuture.completedFuture(outcome);
                });
  }

  public CompletableFuture<FailTaskOutcome> fail(FailTask command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case FailTaskOutcome.Failed(var run, _, _) -> seen(run, outcome);
                  case TaskLost lost ->
                      done(
                          command.claim(),
                          lost,
                          event ->
                              event.change() instanceof RunChange.StepFailed
                                      || event.change() instanceof RunChange.RetryScheduled
                                  ? lost.run()
                                      .map(
                                          run ->
                                              new FailTaskOutcome.Failed(
                                                  run, event.change().retryAt(), true))
                                  : Optional.empty());
                });
  }

  public CompletableFuture<SuspendTaskOutcome> suspend(SuspendTask command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case SuspendTaskOutcome.Suspended(var run, _) -> seen(run, outcome);
                  case TaskLost lost ->
                      done(
                          command.claim(),
                          lost,
                          event ->
                              event.change() instanceof RunChange.StepSuspended
                                  ? lost.run()
                                      .map(run -> new SuspendTaskOutcome.Suspended(run, true))
                                  : Optional.empty());
                  case SuspendTaskOutcome.StateTooLarge _ ->
                      CompletableFuture.completedFuture(outcome);
                });
  }

  private <O> CompletableFuture<O> seen(Run run, O outcome) {
    routes.saw(run);
    return CompletableFuture.completedFuture(outcome);
  }

  /** A claim that holds nothing may have done what it asks for: only the history tells. */
  private <O> CompletableFuture<O> done(
      TaskClaim claim, O lost, Function<RunEvent, Optional<? extends O>> ofEvent) {
    return reads.endedBy(claim).thenApply(event -> event.<O>flatMap(ofEvent).orElse(lost));
  }

  public CompletableFuture<HeartbeatOutcome> heartbeat(HeartbeatTask command) {
    return ledger
        .submit(command)
        .whenComplete(
            (outcome, _) -> {
              if (outcome instanceof HeartbeatOutcome.Renewed(var run, var remaining)) {
                run.held().ifPresent(held -> routes.saw(run, held.leaseUntil().minus(remaining)));
              }
            });
  }

  public CompletableFuture<RecordStepOutcome> record(RecordStep command) {
    return ledger.submit(command);
  }

  /** The polls that wait on this node. */
  public List<PollRequest> waiting() {
    return polls.stream().map(Poll::request).toList();
  }

  /** The last poll of each worker on this node. */
  public List<LastPoll> lastPolls(Workspace workspace) {
    return workers.of(workspace);
  }

  /** Answers every poll with what it has, also those to come. */
  public void stopWaiting() {
    stopping = true;
    polls.forEach(Poll::end);
  }
}
