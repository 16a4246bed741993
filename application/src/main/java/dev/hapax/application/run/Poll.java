package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One call for tasks: takes what is there, or waits until there is something. */
final class Poll {
  private static final FailureLog CLAIMS = new FailureLog(Poll.class, "claim of a task");
  private static final Duration BUSY_PAUSE = Duration.ofMillis(50);

  private final PollRequest request;
  private final List<TaskQueue> queues;
  private final Ledger ledger;
  private final RunRoutes routes;
  private final TaskDelivery delivery;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final long startNanos;
  private final CompletableFuture<Handout> answer = new CompletableFuture<>();

  // guarded by this
  private boolean looking = true;
  private boolean woken;
  private boolean over;
  private int turn;

  private record Candidate(RunId run, String queue) {}

  /**
   * Looks for nothing yet.
   *
   * @param startNanos when the caller began to wait
   */
  Poll(
      PollRequest request,
      long startNanos,
      List<TaskQueue> queues,
      Ledger ledger,
      RunRoutes routes,
      TaskDelivery delivery,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.request = request;
    this.startNanos = startNanos;
    this.queues = queues;
    this.ledger = ledger;
    this.routes = routes;
    this.delivery = delivery;
    this.random = random;
    this.timer = timer;
    this.turn = (int) Math.floorMod(random.getAsLong(), (long) PollRequest.MAX_QUEUES);
  }

  /** Cancelling the future frees the place; what was granted meanwhile is given back. */
  CompletableFuture<Handout> start(Duration wait) {
    over = wait.isZero();
    queues.forEach(queue -> queue.park(this));
    var end = timer.schedule(this::end, wait.toNanos(), TimeUnit.NANOSECONDS);
    var _ =
        answer.whenComplete(
            (_, _) -> {
              end.cancel(false);
              queues.forEach(queue -> queue.leave(this));
            });
    look();
    return answer;
  }

  /** Whether it looks now because of this. */
  boolean wake() {
    synchronized (this) {
      if (looking) {
        woken = true;
        return false;
      }
      looking = true;
    }
    if (answer.isDone()) {
      return false;
    }
    look();
    return true;
  }

  PollRequest request() {
    return request;
  }

  /** Has it answer with what it gets by now. */
  void end() {
    synchronized (this) {
      over = true;
    }
    wake();
  }

  private void look() {
    if (answer.isDone()) {
      // what woke this one is for another
      queues.forEach(TaskQueue::wakeNext);
      return;
    }
    var candidates = candidates();
    if (!candidates.isEmpty()) {
      claim(candidates);
      return;
    }
    var scans = queues.stream().map(TaskQueue::scan).filter(Objects::nonNull).toList();
    if (scans.isEmpty()) {
      rest();
    } else {
      var _ =
          CompletableFuture.allOf(scans.toArray(CompletableFuture[]::new))
              .thenRun(this::lookAfterScan);
    }
  }

  /** A scan that failed says nothing, and would be made again at once. */
  private void lookAfterScan() {
    var candidates = candidates();
    if (candidates.isEmpty()) {
      rest();
    } else {
      claim(candidates);
    }
  }

  /** Each queue in its turn, one task a round. */
  private List<Candidate> candidates() {
    var candidates = new ArrayList<Candidate>();
    var order = new ArrayList<>(queues);
    Collections.rotate(order, -turn++);
    for (var left = true; left && candidates.size() < request.atMost(); ) {
      left = false;
      for (var queue : order) {
        var share =
            order.size() == 1
                ? request.atMost()
                : Math.min(1, request.atMost() - candidates.size());
        for (var run : queue.take(share)) {
          candidates.add(new Candidate(run, queue.name()));
          left = order.size() > 1;
        }
      }
    }
    return candidates;
  }

  private void rest() {
    synchronized (this) {
      if (!over && woken) {
        woken = false;
      } else if (!over) {
        looking = false;
        return;
      }
    }
    if (isOver()) {
      answer.complete(Handout.NOTHING);
    } else {
      look();
    }
  }

  private synchronized boolean isOver() {
    return over;
  }

  private void claim(List<Candidate> candidates) {
    var waited = Duration.ofNanos(System.nanoTime() - startNanos);
    var claims = candidates.stream().map(this::claim).toList();
    var _ =
        CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
            .thenRun(() -> claimed(claims, waited));
  }

  /** Never fails; null = the claim failed, and the task may be taken or not. */
  private CompletableFuture<@Nullable ClaimTaskOutcome> claim(Candidate candidate) {
    return ledger
        .submit(
            new ClaimTask(
                candidate.run(),
                candidate.queue(),
                request.worker(),
                request.attempt(),
                random.getAsLong()))
        .handle(
            (outcome, failure) -> {
              if (failure != null) {
                CLAIMS.failed(failure);
              }
              return outcome;
            });
  }

  private void claimed(
      List<CompletableFuture<@Nullable ClaimTaskOutcome>> claims, Duration waited) {
    var granted = new ArrayList<Claimed>();
    var failed = false;
    for (var claim : claims) {
      switch (claim.join()) {
        case null -> failed = true;
        case Claimed claimed -> granted.add(claimed);
        case ClaimTaskOutcome.NothingToDo(var run, var now) ->
            run.ifPresent(found -> routes.saw(found, now));
      }
    }
    granted.forEach(claimed -> routes.saw(claimed.run()));
    if (failed) {
      queues.forEach(TaskQueue::lost);
    }
    if (!granted.isEmpty()) {
      finish(new Handout(granted, waited));
    } else if (failed) {
      var _ = timer.schedule(this::lookOrEnd, BUSY_PAUSE.toNanos(), TimeUnit.NANOSECONDS);
    } else {
      lookOrEnd();
    }
  }

  private void lookOrEnd() {
    if (isOver()) {
      answer.complete(Handout.NOTHING);
    } else {
      look();
    }
  }

  private void finish(Handout granted) {
    if (!answer.complete(granted)) {
      granted.granted().forEach(claimed -> delivery.giveBack(claimed.run()));
    }
  }
}
