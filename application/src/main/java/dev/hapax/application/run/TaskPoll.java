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

/** One poll for tasks: claims ready tasks, or waits until a task is ready. */
final class TaskPoll {

  private final PollRequest request;
  private final List<TaskQueue> queues;
  private final Ledger ledger;
  private final RunDispatcher dispatcher;
  private final TaskDelivery delivery;
  private final LongSupplier random;
  private final ScheduledExecutorService timer;
  private final long startNanos;
  private final CompletableFuture<GrantedTasks> answer = new CompletableFuture<>();

  // guarded by this
  private boolean searching = true;
  private boolean woken;
  private boolean ending;
  private int turn;
  private Duration pause = Duration.ZERO;
  private final PollCapacity capacity = new PollCapacity();

  /**
   * Creates a poll that is not started.
   *
   * @param startNanos when the caller began to wait
   */
  TaskPoll(
      PollRequest request,
      long startNanos,
      List<TaskQueue> queues,
      Ledger ledger,
      RunDispatcher dispatcher,
      TaskDelivery delivery,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.request = request;
    this.startNanos = startNanos;
    this.queues = queues;
    this.ledger = ledger;
    this.dispatcher = dispatcher;
    this.delivery = delivery;
    this.random = random;
    this.timer = timer;
    this.turn = (int) Math.floorMod(random.getAsLong(), (long) PollRequest.MAX_QUEUES);
  }

  /** Starts the poll. Cancelling the future frees its place and returns tasks granted meanwhile. */
  CompletableFuture<GrantedTasks> start(Duration wait) {
    ending = wait.isZero();
    queues.forEach(queue -> queue.park(this));
    var end = timer.schedule(this::end, wait.toNanos(), TimeUnit.NANOSECONDS);
    var _ =
        answer.whenComplete(
            (_, _) -> {
              end.cancel(false);
              queues.forEach(queue -> queue.leave(this));
            });
    search();
    return answer;
  }

  /** Returns whether this call made the poll search. */
  boolean wake() {
    synchronized (this) {
      if (searching) {
        woken = true;
        return false;
      }
      if (capacity.areOpen()) {
        // it searches or answers once these are decided
        return false;
      }
      searching = true;
    }
    if (answer.isDone()) {
      return false;
    }
    search();
    return true;
  }

  /**
   * Reserves a place for a task that is being decided, if this poll has room and waits or claims.
   *
   * @param batch the time of the decision: all reservations of a poll belong to one batch
   * @param submittedNanos when the command was submitted, which is before its lease begins
   */
  synchronized boolean reserve(Instant batch, long submittedNanos) {
    var waited = Duration.ofNanos(Math.max(0, submittedNanos - startNanos));
    return (!searching || capacity.areClaimed())
        && !ending
        && !answer.isDone()
        && capacity.reserve(request.atMost(), batch, waited);
  }

  synchronized boolean isClaiming() {
    return capacity.areClaimed();
  }

  /** Resolves a reservation; empty = no task. */
  void decided(Optional<Claimed> task) {
    record(() -> capacity.decided(task));
  }

  /** Records a decision; exactly one caller finds that all are decided, and continues the poll. */
  private void record(Runnable decision) {
    GrantedTasks granted;
    boolean claimed;
    synchronized (this) {
      decision.run();
      if (capacity.areOpen()) {
        return;
      }
      claimed = searching;
      granted = takeGranted();
    }
    if (!granted.tasks().isEmpty()) {
      finish(granted);
    } else if (claimed) {
      searchAfterPause();
    } else {
      var _ = wake();
    }
  }

  /** A poll with a task accepts no more reservations and offers, because it is about to answer. */
  private GrantedTasks takeGranted() {
    var granted = capacity.take();
    searching = searching || !granted.tasks().isEmpty();
    return granted;
  }

  boolean isAnswered() {
    return answer.isDone();
  }

  PollRequest request() {
    return request;
  }

  /** Ends the poll with the tasks it has. */
  void end() {
    GrantedTasks granted;
    synchronized (this) {
      ending = true;
      if (capacity.areClaimed() || (searching && !capacity.haveGranted())) {
        return;
      }
      granted = takeGranted();
    }
    if (granted.tasks().isEmpty()) {
      var _ = wake();
    } else {
      finish(granted);
    }
  }

  private void search() {
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
              .thenRun(this::searchAfterScan);
    }
  }

  /**
   * Claims the runs that the queues offer; returns whether there were any or the poll has ended.
   */
  private boolean claimCandidates() {
    var candidates = answer.isDone() ? List.<ClaimCandidate>of() : candidates();
    if (!candidates.isEmpty()) {
      claim(candidates);
    } else if (!answer.isDone()) {
      return false;
    }
    // one poll is woken for many offers, so it wakes the next one for the rest
    queues.forEach(TaskQueue::wakeNext);
    return true;
  }

  /** Waits after a scan without candidates; a failed scan must not be repeated at once. */
  private void searchAfterScan() {
    if (!claimCandidates()) {
      rest();
    }
  }

  /** Takes runs from the queues round-robin, one at a time. */
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
      if (!ending && woken) {
        woken = false;
      } else if (!ending) {
        searching = false;
        return;
      }
    }
    if (isEnding()) {
      answer.complete(GrantedTasks.NOTHING);
    } else {
      search();
    }
  }

  private synchronized boolean isEnding() {
    return ending;
  }

  private void claim(List<ClaimCandidate> candidates) {
    var waited = Duration.ofNanos(System.nanoTime() - startNanos);
    synchronized (this) {
      capacity.claim(candidates.size(), waited);
    }
    var claims =
        candidates.stream()
            .map(candidate -> candidate.claim(ledger, request, random.getAsLong()))
            .toList();
    var _ = ClaimResults.of(claims, dispatcher).thenAccept(this::claimed);
  }

  private void claimed(ClaimResults results) {
    record(
        () -> {
          pause = results.pause();
          capacity.claimed(results.granted());
        });
  }

  private void searchAfterPause() {
    Duration rest;
    synchronized (this) {
      rest = pause;
      pause = Duration.ZERO;
    }
    if (rest.isZero()) {
      searchOrEnd();
    } else {
      var _ = timer.schedule(this::searchOrEnd, rest.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void searchOrEnd() {
    if (isEnding()) {
      answer.complete(GrantedTasks.NOTHING);
    } else {
      search();
    }
  }

  private void finish(GrantedTasks granted) {
    granted.repeated().forEach(delivery::returnUndelivered);
    var once = granted.once();
    if (!answer.complete(once)) {
      once.tasks().forEach(claimed -> delivery.returnUndelivered(claimed.run()));
    }
  }
}
