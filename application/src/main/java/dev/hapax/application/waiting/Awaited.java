package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tries until there is an answer: when a record changes, when the last try said so, and when the
 * wait is over. The last try is the answer, whatever it found.
 *
 * @param <K> the record
 * @param <T> what a try finds
 */
public final class Awaited<K extends RecordKey<?>, T> {
  /** What to do with what a try has found. */
  public sealed interface Next {
    /** It is the answer. */
    record Answer() implements Next {}

    /** Try again when the record changes. */
    record AtChange() implements Next {}

    /** Try again when the record changes, or when this time has passed. */
    record Within(Duration time) implements Next {}

    /** As the one or the other. */
    static Next answerIf(boolean isEnough) {
      return isEnough ? new Answer() : new AtChange();
    }
  }

  private final K key;
  private final Waiters<K> waiters;
  private final ScheduledExecutorService timer;
  private final Function<Duration, CompletableFuture<T>> attempt;
  private final Function<T, Next> next;
  private final Runnable wake = this::wake;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  // guarded by this
  private boolean trying = true;
  private boolean woken;
  private boolean over;
  private @Nullable Future<?> nextTry;
  private Future<?> lastTry = CompletableFuture.completedFuture(null);

  /**
   * Waits for nothing yet.
   *
   * @param attempt told how long it has been waited; cancelled when nobody waits any longer
   */
  public Awaited(
      K key,
      Waiters<K> waiters,
      ScheduledExecutorService timer,
      Function<Duration, CompletableFuture<T>> attempt,
      Function<T, Next> next) {
    this.key = key;
    this.waiters = waiters;
    this.timer = timer;
    this.attempt = attempt;
    this.next = next;
  }

  /**
   * Begins. Cancelling the future frees the place, and cancels the try under way; that may still
   * succeed.
   *
   * @throws TooManyWaitersException if the workspace has as many as it may have
   */
  public CompletableFuture<T> start(Duration wait) {
    waiters.enter(key, wake);
    var end = timer.schedule(this::waitIsOver, wait.toNanos(), TimeUnit.NANOSECONDS);
    var _ =
        answer.whenComplete(
            (_, _) -> {
              end.cancel(false);
              waiters.leave(key, wake);
              stop();
            });
    attempt();
    return answer;
  }

  private void attempt() {
    var found = attempt.apply(Duration.ofNanos(System.nanoTime() - startNanos));
    synchronized (this) {
      lastTry = found;
    }
    var _ = found.whenComplete(this::attempted);
    if (answer.isDone()) {
      stop();
    }
  }

  private void attempted(@Nullable T found, @Nullable Throwable failure) {
    if (found == null) {
      failed(failure);
      return;
    }
    var what = isOver() ? new Next.Answer() : next.apply(found);
    switch (what) {
      case Next.Answer() -> answer.complete(found);
      case Next.AtChange() -> park(null);
      case Next.Within(var time) -> park(time);
    }
  }

  private void failed(@Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof LedgerException.Overloaded busy && !isOver()) {
      park(busy.retryAfter());
    } else {
      answer.completeExceptionally(
          cause == null ? new IllegalStateException("nothing came of a try") : cause);
    }
  }

  private void park(@Nullable Duration atMost) {
    synchronized (this) {
      if (!woken || answer.isDone()) {
        trying = false;
        if (atMost != null && !answer.isDone()) {
          nextTry = timer.schedule(wake, atMost.toNanos(), TimeUnit.NANOSECONDS);
        }
        return;
      }
      woken = false;
    }
    attempt();
  }

  /** A change that comes while a try is under way may be newer than what that one saw. */
  private void wake() {
    synchronized (this) {
      if (trying) {
        woken = true;
        return;
      }
      trying = true;
      stopTimer();
    }
    if (!answer.isDone()) {
      attempt();
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

  private void stop() {
    stopTimer();
    tried().cancel(false);
  }

  private synchronized Future<?> tried() {
    return lastTry;
  }

  private synchronized void stopTimer() {
    if (nextTry != null) {
      nextTry.cancel(false);
      nextTry = null;
    }
  }
}
