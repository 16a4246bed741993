package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
  // places that are kept for tasks being decided, and what came of earlier ones
  private int reserved;
  private final List<Claimed> delivered = new ArrayList<>();
  private Duration waitedUntilReserved = Duration.ZERO;

  private record Candidate(RunId run, TaskQueue queue) {}

  /** What came of a candidate; no outcome = the claim failed, and may have happened or not. */
  private record Attempted(
      Candidate candidate, @Nullable ClaimTaskOutcome outcome, @Nullable Throwable failure) {}

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
      if (reserved > 0) {
        // it looks, or answers, once these are decided
        return false;
      }
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

  /** Keeps a place for a task that is being decided, if this poll waits and has room for it. */
  synchronized boolean reserve() {
    if (looking || over || answer.isDone() || reserved + delivered.size() >= request.atMost()) {
      return false;
    }
    if (reserved + delivered.size() == 0) {
      waitedUntilReserved = waited();
    }
    reserved++;
    return true;
  }

  /** A task for which a place was kept is decided; empty = there is none. */
  void decided(Optional<Claimed> task) {
    Handout handout;
    synchronized (this) {
      reserved--;
      task.ifPresent(delivered::add);
      if (reserved > 0) {
        return;
      }
      handout = new Handout(delivered, waitedUntilReserved);
      delivered.clear();
    }
    if (handout.granted().isEmpty()) {
      wake();
    } else {
      finish(handout);
    }
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
    if (!claimCandidates()) {
      scan();
    }
  }

  private void scan() {
    var scans = queues.stream().map(TaskQueue::scan).filter(Objects::nonNull).toList();
    if (scans.isEmpty()) {
      rest();
    } else {
      var _ =
          CompletableFuture.allOf(scans.toArray(CompletableFuture[]::new))
              .thenRun(this::lookAfterScan);
    }
  }

  /** Claims what the queues offer; whether there was something, or this poll has ended. */
  private boolean claimCandidates() {
    var candidates = answer.isDone() ? List.<Candidate>of() : candidates();
    if (!candidates.isEmpty()) {
      claim(candidates);
    } else if (!answer.isDone()) {
      return false;
    }
    // one poll is woken for many offers: what this one leaves is for others
    queues.forEach(TaskQueue::wakeNext);
    return true;
  }

  /** A scan that failed says nothing, and would be made again at once. */
  private void lookAfterScan() {
    if (!claimCandidates()) {
      rest();
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
          candidates.add(new Candidate(run, queue));
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

  private Duration waited() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  private void claim(List<Candidate> candidates) {
    var waited = waited();
    var claims = candidates.stream().map(this::claim).toList();
    var _ =
        CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
            .thenRun(() -> claimed(claims, waited));
  }

  /** Never fails. */
  private CompletableFuture<Attempted> claim(Candidate candidate) {
    return ledger
        .submit(
            new ClaimTask(
                candidate.run(),
                candidate.queue().name(),
                request.worker(),
                request.attempt(),
                random.getAsLong()))
        .handle((outcome, failure) -> new Attempted(candidate, outcome, failure));
  }

  private void claimed(List<CompletableFuture<Attempted>> claims, Duration waited) {
    var granted = new ArrayList<Claimed>();
    var pause = Duration.ZERO;
    for (var claim : claims) {
      var attempted = claim.join();
      switch (attempted.outcome()) {
        case null -> pause = longer(pause, failed(attempted));
        case Claimed claimed -> granted.add(claimed);
        case ClaimTaskOutcome.NothingToDo(var run, var now) ->
            run.ifPresent(found -> routes.saw(found, now));
      }
    }
    granted.forEach(claimed -> routes.saw(claimed.run()));
    if (!granted.isEmpty()) {
      finish(new Handout(granted, waited));
    } else if (pause.isZero()) {
      lookOrEnd();
    } else {
      var _ = timer.schedule(this::lookOrEnd, pause.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Keeps the task for another claim; returns how long to wait before the next one. */
  private static Duration failed(Attempted attempted) {
    var failure = Objects.requireNonNull(attempted.failure());
    CLAIMS.failed(failure);
    if (failure instanceof LedgerException.Overloaded overloaded) {
      attempted.candidate().queue().putBack(attempted.candidate().run());
      return longer(BUSY_PAUSE, overloaded.retryAfter());
    }
    attempted.candidate().queue().lost();
    return BUSY_PAUSE;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
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
