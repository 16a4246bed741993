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

/** The calls for tasks under way on this node, and what the last ones were granted. */
final class TaskPollCalls {
  private final Ledger ledger;
  private final RunReads reads;
  private final RunDispatcher routes;
  private final PolledQueues dispatch;
  private final RecentRemoteActivity foreign;
  private final TaskDelivery delivery;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final RecentPolls<UUID, RunId> recent;
  private final ConcurrentMap<UUID, RepeatableCall> named = new ConcurrentHashMap<>();
  private final Set<TaskPoll> polls = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /**
   * A poll that searches for tasks.
   *
   * @param answer cancelled to end it
   * @param granted the same, once it is remembered for another call of this poll
   */
  private record Started(
      TaskPoll poll,
      CompletableFuture<GrantedTasks> answer,
      CompletableFuture<GrantedTasks> granted) {}

  TaskPollCalls(
      Ledger ledger,
      RunReads reads,
      RunDispatcher routes,
      PolledQueues dispatch,
      RecentRemoteActivity foreign,
      TaskDelivery delivery,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.routes = routes;
    this.dispatch = dispatch;
    this.foreign = foreign;
    this.delivery = delivery;
    this.random = random;
    this.timer = timer;
    this.recent = new RecentPolls<>();
  }

  /** What the poll is granted. Cancelling the future gives back what is granted too late. */
  CompletableFuture<GrantedTasks> poll(PollRequest request, Duration wait) {
    var startNanos = System.nanoTime();
    var call = new RepeatableCall();
    var first = request.attempt().map(attempt -> named.put(attempt, call));
    var granted = new CompletableFuture<GrantedTasks>();
    var _ =
        first
            .map(RepeatableCall::end)
            .orElseGet(() -> CompletableFuture.completedFuture(null))
            .thenCompose(_ -> again(request, startNanos))
            .whenComplete(
                (again, failure) -> {
                  if (failure != null) {
                    granted.completeExceptionally(failure);
                  } else if (!again.granted().isEmpty()) {
                    hand(again, granted);
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
    request.attempt().ifPresent(attempt -> named.remove(attempt, call));
    call.over();
  }

  private void hand(GrantedTasks handout, CompletableFuture<GrantedTasks> granted) {
    if (!granted.complete(handout)) {
      handout.granted().forEach(claimed -> delivery.giveBack(claimed.run()));
    }
  }

  /** Cancelling the outer one ends the poll. */
  private void follow(Started poll, CompletableFuture<GrantedTasks> outer) {
    var _ = outer.whenComplete((_, _) -> poll.answer().cancel(false));
    var _ =
        poll.granted()
            .whenComplete(
                (handout, failure) -> {
                  if (failure != null) {
                    outer.completeExceptionally(failure);
                  } else {
                    hand(handout, outer);
                  }
                });
  }

  /** What an earlier call of the same poll was granted and still holds. */
  private CompletableFuture<GrantedTasks> again(PollRequest request, long startNanos) {
    if (request.attempt().isEmpty()) {
      return CompletableFuture.completedFuture(GrantedTasks.NOTHING);
    }
    var attempt = request.attempt().get();
    return earlier(request, attempt).thenCompose(runs -> again(request, attempt, runs, startNanos));
  }

  private CompletableFuture<List<RunId>> earlier(PollRequest request, UUID attempt) {
    var known = recent.of(attempt);
    return known.isEmpty() && foreign.mayHaveServed()
        ? reads.polled(request.workspace(), attempt)
        : CompletableFuture.completedFuture(known);
  }

  /** If one of them cannot be decided the call fails, since an answer would hide that task. */
  private CompletableFuture<GrantedTasks> again(
      PollRequest request, UUID attempt, List<RunId> runs, long startNanos) {
    var waited = Duration.ofNanos(System.nanoTime() - startNanos);
    var claims =
        runs.stream()
            .map(run -> new ClaimTask(run, "", request.worker(), Optional.of(attempt), 0))
            .map(ledger::submit)
            .toList();
    var decided = CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new));
    var _ =
        decided.exceptionally(
            _ -> {
              granted(claims).forEach(claimed -> delivery.giveBack(claimed.run()));
              return null;
            });
    return decided.thenApply(
        _ -> {
          recent.keep(attempt, runs);
          claims.forEach(claim -> routes.saw(claim.join()));
          return new GrantedTasks(granted(claims), waited);
        });
  }

  /** What was granted by those claims that were decided. */
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
            dispatch.queues(request.workspace(), request.queues()),
            ledger,
            routes,
            delivery,
            random,
            timer);
    polls.add(poll);
    var answer = poll.start(stopping ? Duration.ZERO : wait);
    var started = new Started(poll, answer, answer.thenApply(handout -> kept(request, handout)));
    var _ = started.granted().whenComplete((_, _) -> polls.remove(poll));
    return started;
  }

  private GrantedTasks kept(PollRequest request, GrantedTasks handout) {
    var runs = handout.granted().stream().map(claimed -> claimed.run().id()).toList();
    request.attempt().ifPresent(attempt -> recent.keep(attempt, runs));
    return handout;
  }

  /** The polls that wait on this node. */
  List<PollRequest> waiting() {
    return polls.stream().map(TaskPoll::request).toList();
  }

  /** Answers every poll with what it has, also those to come. */
  void stopWaiting() {
    stopping = true;
    polls.forEach(TaskPoll::end);
  }
}
