package dev.hapax.application.run;

import dev.hapax.application.waiting.RecentPolls;
import dev.hapax.application.waiting.RecentRemoteActivity;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** The polls for tasks in progress on this node, and the tasks granted to recent ones. */
final class TaskPollCalls {
  private final Ledger ledger;
  private final RunReads reads;
  private final RunDispatcher dispatcher;
  private final PolledQueues polledQueues;
  private final TaskDelivery delivery;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final RecentPolls<UUID, RunId> recent;
  private final ConcurrentMap<UUID, RepeatableCall> byAttempt = new ConcurrentHashMap<>();
  private final Set<TaskPoll> polls = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /**
   * A started poll.
   *
   * @param answer cancelled to end the poll
   * @param granted the answer, once it is stored for retries of the poll
   */
  private record Started(
      TaskPoll poll,
      CompletableFuture<GrantedTasks> answer,
      CompletableFuture<GrantedTasks> granted) {}

  TaskPollCalls(
      Ledger ledger,
      RunReads reads,
      RunDispatcher dispatcher,
      PolledQueues polledQueues,
      RecentRemoteActivity remoteActivity,
      TaskDelivery delivery,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.dispatcher = dispatcher;
    this.polledQueues = polledQueues;
    this.delivery = delivery;
    this.random = random;
    this.timer = timer;
    this.recent = new RecentPolls<>(remoteActivity);
  }

  /** Polls for tasks. Cancelling the future returns tasks that are granted later. */
  CompletableFuture<GrantedTasks> poll(PollRequest request, Duration wait) {
    var startNanos = System.nanoTime();
    var call = new RepeatableCall();
    var first = request.attempt().map(attempt -> byAttempt.put(attempt, call));
    var granted = new CompletableFuture<GrantedTasks>();
    var _ =
        first
            .map(RepeatableCall::end)
            .orElseGet(() -> CompletableFuture.completedFuture(null))
            .thenCompose(_ -> regrant(request, startNanos))
            .whenComplete(
                (regranted, failure) -> {
                  if (failure != null) {
                    granted.completeExceptionally(failure);
                  } else if (!regranted.tasks().isEmpty()) {
                    deliver(regranted, granted);
                  } else if (!granted.isDone()) {
                    start(call, request, startNanos, wait, granted);
                    return;
                  }
                  over(call, request);
                });
    return granted;
  }

  private void start(
      RepeatableCall call,
      PollRequest request,
      long startNanos,
      Duration wait,
      CompletableFuture<GrantedTasks> outer) {
    var started = start(request, startNanos, wait);
    var _ = started.granted().whenComplete((_, _) -> over(call, request));
    follow(started, outer);
    call.started(started.poll());
  }

  private void over(RepeatableCall call, PollRequest request) {
    request.attempt().ifPresent(attempt -> byAttempt.remove(attempt, call));
    call.over();
  }

  private void deliver(GrantedTasks tasks, CompletableFuture<GrantedTasks> granted) {
    if (!granted.complete(tasks)) {
      tasks.tasks().forEach(claimed -> delivery.returnUndelivered(claimed.run()));
    }
  }

  /**
   * Completes the outer future with the result of the poll; cancelling the outer one ends the poll.
   */
  private void follow(Started poll, CompletableFuture<GrantedTasks> outer) {
    var _ = outer.whenComplete((_, _) -> poll.answer().cancel(false));
    var _ =
        poll.granted()
            .whenComplete(
                (tasks, failure) -> {
                  if (failure != null) {
                    outer.completeExceptionally(failure);
                  } else {
                    deliver(tasks, outer);
                  }
                });
  }

  /** Grants again what an earlier call of the same poll was granted and still holds. */
  private CompletableFuture<GrantedTasks> regrant(PollRequest request, long startNanos) {
    if (request.attempt().isEmpty()) {
      return CompletableFuture.completedFuture(GrantedTasks.NOTHING);
    }
    var attempt = request.attempt().get();
    return earlier(request, attempt)
        .thenCompose(runs -> regrant(request, attempt, runs, startNanos));
  }

  private CompletableFuture<List<RunId>> earlier(PollRequest request, UUID attempt) {
    return recent
        .known(attempt)
        .map(CompletableFuture::completedFuture)
        .orElseGet(() -> reads.polled(request.workspace(), attempt));
  }

  /**
   * Fails the call if one claim cannot be decided, because a partial response would hide that task.
   */
  private CompletableFuture<GrantedTasks> regrant(
      PollRequest request, UUID attempt, List<RunId> runs, long startNanos) {
    var waited = Duration.ofNanos(System.nanoTime() - startNanos);
    var claims =
        runs.stream()
            .map(
                run ->
                    new ClaimTask(
                        run, "", request.worker(), Optional.of(attempt), 0, request.principal()))
            .map(ledger::submit)
            .toList();
    var decided = CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new));
    var _ =
        decided.exceptionally(
            _ -> {
              granted(claims).forEach(claimed -> delivery.returnUndelivered(claimed.run()));
              return null;
            });
    return decided.thenApply(
        _ -> {
          recent.keep(attempt, runs);
          claims.forEach(claim -> dispatcher.onClaimDecided(claim.join()));
          return new GrantedTasks(granted(claims), waited);
        });
  }

  /** The grants of the decided claims. */
  private static List<Claimed> granted(List<CompletableFuture<ClaimTaskOutcome>> claims) {
    return claims.stream()
        .filter(claim -> !claim.isCompletedExceptionally())
        .map(CompletableFuture::join)
        .filter(Claimed.class::isInstance)
        .map(Claimed.class::cast)
        .toList();
  }

  private Started start(PollRequest request, long startNanos, Duration wait) {
    var poll =
        new TaskPoll(
            request,
            startNanos,
            polledQueues.queues(request.workspace(), request.queues()),
            ledger,
            dispatcher,
            delivery,
            random,
            timer);
    polls.add(poll);
    var answer = poll.start(stopping ? Duration.ZERO : wait);
    var started = new Started(poll, answer, answer.thenApply(tasks -> stored(request, tasks)));
    var _ = started.granted().whenComplete((_, _) -> polls.remove(poll));
    return started;
  }

  private GrantedTasks stored(PollRequest request, GrantedTasks tasks) {
    var runs = tasks.tasks().stream().map(claimed -> claimed.run().id()).toList();
    request.attempt().ifPresent(attempt -> recent.keep(attempt, runs));
    return tasks;
  }

  /** Lists the polls that wait on this node. */
  List<PollRequest> waiting() {
    return polls.stream().map(TaskPoll::request).toList();
  }

  /** Ends every poll with the tasks it has, also future polls. */
  void stopWaiting() {
    stopping = true;
    polls.forEach(TaskPoll::end);
  }
}
