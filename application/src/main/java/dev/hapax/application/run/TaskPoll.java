package dev.hapax.application.run;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** One call for tasks: takes what is there, or waits until there is something. */
final class TaskPoll {

  private final PollRequest request;
  private final List<TaskQueue> queues;
  private final Ledger ledger;
  private final RunDispatcher routes;
  private final TaskDelivery delivery;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final long startNanos;
  private final CompletableFuture<GrantedTasks> answer = new CompletableFuture<>();

  // guarded by this
  private boolean looking = true;
  private boolean woken;
  private boolean over;
  private int turn;
  private Duration pause = Duration.ZERO;
  private final TaskPlaces places = new TaskPlaces();

  /**
   * Looks for nothing yet.
   *
   * @param startNanos when the caller began to wait
   */
  TaskPoll(
      PollRequest request,
      long startNanos,
      List<TaskQueue> queues,
      Ledger ledger,
      RunDispatcher routes,
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
  CompletableFuture<GrantedTasks> start(Duration wait) {
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
      if (places.areOpen()) {
        // it looks, or answers, once these are decided
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

  /**
   * Keeps a place for a task that is being decided, if this poll has room for it and waits, or
   * claims others.
   *
   * @param batch the time of the decision: places of one poll are all of one batch
   * @param submittedNanos when the command was submitted: a lease it grants begins later
   */
  synchronized boolean reserve(Instant batch, long submittedNanos) {
    var waited = Duration.ofNanos(Math.max(0, submittedNanos - startNanos));
    return (!looking || places.areClaimed())
        && !over
        && !answer.isDone()
        && places.reserve(request.atMost(), batch, waited);
  }

  synchronized boolean isClaiming() {
    return places.areClaimed();
  }

  /** A task for which a place was kept is decided; empty = there is none. */
  void decided(Optional<Claimed> task) {
    record(() -> places.decided(task));
  }

  /** Goes on once everything is decided; one of those who record sees that, and no other. */
  private void record(Runnable decision) {
    GrantedTasks granted;
    boolean claimed;
    synchronized (this) {
      decision.run();
      if (places.areOpen()) {
        return;
      }
      claimed = looking;
      granted = takeGranted();
    }
    if (!granted.granted().isEmpty()) {
      finish(granted);
    } else if (claimed) {
      lookAfterPause();
    } else {
      var _ = wake();
    }
  }

  /** With a task in its hands it takes no more places and no offers: it is about to answer. */
  private GrantedTasks takeGranted() {
    var granted = places.take();
    looking = looking || !granted.granted().isEmpty();
    return granted;
  }

  boolean isAnswered() {
    return answer.isDone();
  }

  PollRequest request() {
    return request;
  }

  /** Has it answer with what it gets by now. */
  void end() {
    GrantedTasks granted;
    synchronized (this) {
      over = true;
      if (places.areClaimed() || (looking && !places.haveGranted())) {
        return;
      }
      granted = takeGranted();
    }
    if (granted.granted().isEmpty()) {
      var _ = wake();
    } else {
      finish(granted);
    }
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
    var candidates = answer.isDone() ? List.<ClaimCandidate>of() : candidates();
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
  private List<ClaimCandidate> candidates() {
    var candidates = new ArrayList<ClaimCandidate>();
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
          candidates.add(new ClaimCandidate(run, queue));
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
      answer.complete(GrantedTasks.NOTHING);
    } else {
      look();
    }
  }

  private synchronized boolean isOver() {
    return over;
  }

  private void claim(List<ClaimCandidate> candidates) {
    var waited = Duration.ofNanos(System.nanoTime() - startNanos);
    synchronized (this) {
      places.claim(candidates.size(), waited);
    }
    var claims =
        candidates.stream()
            .map(candidate -> candidate.claim(ledger, request, random.getAsLong()))
            .toList();
    var _ = ClaimResults.of(claims, routes).thenAccept(this::claimed);
  }

  private void claimed(ClaimResults results) {
    record(
        () -> {
          pause = results.pause();
          places.claimed(results.granted());
        });
  }

  private void lookAfterPause() {
    Duration rest;
    synchronized (this) {
      rest = pause;
      pause = Duration.ZERO;
    }
    if (rest.isZero()) {
      lookOrEnd();
    } else {
      var _ = timer.schedule(this::lookOrEnd, rest.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void lookOrEnd() {
    if (isOver()) {
      answer.complete(GrantedTasks.NOTHING);
    } else {
      look();
    }
  }

  private void finish(GrantedTasks granted) {
    if (!answer.complete(granted)) {
      granted.granted().forEach(claimed -> delivery.giveBack(claimed.run()));
    }
  }
}
