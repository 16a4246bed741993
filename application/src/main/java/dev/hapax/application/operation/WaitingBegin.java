package dev.hapax.application.operation;

import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.OperationId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One Begin that waits for the holder: decided anew when the record changes, when the holder's
 * lease ends and when the wait is over.
 */
final class WaitingBegin {
  private final BeginOperation command;
  private final Ledger ledger;
  private final Waiters<OperationId> waiters;
  private final ScheduledExecutorService timer;
  private final Runnable wake = this::wake;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<BeginOutcome> answer = new CompletableFuture<>();

  // guarded by this
  private boolean deciding = true;
  private boolean woken;
  private boolean over;
  private @Nullable Future<?> nextLook;

  WaitingBegin(
      BeginOperation command,
      Ledger ledger,
      Waiters<OperationId> waiters,
      ScheduledExecutorService timer) {
    this.command = command;
    this.ledger = ledger;
    this.waiters = waiters;
    this.timer = timer;
  }

  /**
   * Cancelling the future frees the place; a grant that was under way stands until its lease ends.
   */
  CompletableFuture<BeginOutcome> start(Duration wait) {
    waiters.enter(command.id(), wake);
    var end = timer.schedule(this::waitIsOver, wait.toNanos(), TimeUnit.NANOSECONDS);
    var _ =
        answer.whenComplete(
            (_, _) -> {
              end.cancel(false);
              waiters.leave(command.id(), wake);
              stopLooking();
            });
    decide();
    return answer;
  }

  private void decide() {
    var _ = ledger.submit(command).whenComplete(this::decided);
  }

  private void decided(@Nullable BeginOutcome outcome, @Nullable Throwable failure) {
    if (failure instanceof LedgerException.Overloaded busy && !isOver()) {
      park(busy.retryAfter());
    } else if (outcome instanceof BeginOutcome.InProgress held && !isOver()) {
      park(held.leaseRemaining());
    } else if (failure != null) {
      answer.completeExceptionally(failure);
    } else if (outcome instanceof BeginOutcome.Acquired acquired) {
      answer.complete(acquired.afterWaiting(Duration.ofNanos(System.nanoTime() - startNanos)));
    } else {
      answer.complete(outcome);
    }
  }

  private void park(Duration atMost) {
    synchronized (this) {
      if (!woken) {
        deciding = false;
        if (!answer.isDone()) {
          nextLook = timer.schedule(wake, atMost.toNanos(), TimeUnit.NANOSECONDS);
        }
        return;
      }
      woken = false;
    }
    decide();
  }

  /** A change that comes while a decision is under way may be newer than what that decision saw. */
  private void wake() {
    synchronized (this) {
      if (deciding) {
        woken = true;
        return;
      }
      deciding = true;
      stopLooking();
    }
    if (!answer.isDone()) {
      decide();
    }
  }

  private void waitIsOver() {
    synchronized (this) {
      over = true;
    }
    wake();
  }

  private synchronized boolean isOver() {
    return over || waiters.isClosed();
  }

  private synchronized void stopLooking() {
    if (nextLook != null) {
      nextLook.cancel(false);
      nextLook = null;
    }
  }
}
