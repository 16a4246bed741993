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
public final class LongPoll<K extends RecordKey<?>, T> {
  /** What to do with what a try has found. */
  public sealed interface Next {
    /** It is the answer, and other waiters of the record are answered by the same change. */
    record Answer() implements Next {}

    /** It is the answer, and the record is taken by it: other waiters go on waiting. */
    record Taken() implements Next {}

    /** Try again when the record changes. */
    record AtChange() implements Next {}

    /** Try again when the record changes, or when this time has passed. */
    record Within(Duration time) implements Next {}

    /**
     * Try again when the record changes, or when this time has passed. The record is free, so other
     * waiters try now.
     */
    record Later(Duration time) implements Next {}

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
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  // guarded by this
  private boolean trying = true;
  private boolean woken;
  // it alone was woken, and no try since has found the record held
  private boolean owesWake;
  private boolean over;
  private boolean ended;
  private @Nullable Future<?> nextTry;
  private Future<?> lastTry = CompletableFuture.completedFuture(null);

  /**
   * Waits for nothing yet.
   *
   * @param attempt told how long it has been waited; cancelled when nobody waits any longer
   */
  public LongPoll(
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
    var ticket = waiters.enter(key, this::wake);
    var end = timer.schedule(this::waitIsOver, wait.toNanos(), TimeUnit.NANOSECONDS);
    var _ =
        answer.whenComplete(
            (found, _) -> {
              end.cancel(false);
              waiters.leave(key, ticket);
              stop();
              passOn(found);
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
    switch (next.apply(found)) {
      case Next.Answer _, Next.Taken _ -> answer.complete(found);
      case Next _ when isOver() -> answer.complete(found);
      case Next.AtChange() -> park(null, true);
      case Next.Within(var time) -> park(time, true);
      case Next.Later(var time) -> {
        passToAll();
        park(time, true);
      }
    }
  }

  /** A change that woke this one alone must not end with it. */
  private void passOn(@Nullable T found) {
    boolean isNewer;
    synchronized (this) {
      ended = true;
      if (!owesWake) {
        return;
      }
      isNewer = woken;
    }
    switch (found == null ? new Next.AtChange() : next.apply(found)) {
      case Next.Answer() -> waiters.wakeAll(key);
      case Next.Taken() when !isNewer -> {}
      // it failed, its wait was over, or there was another change since its try
      case Next.Taken _, Next.AtChange _, Next.Within _, Next.Later _ -> wakeAnother();
    }
  }

  /** This one goes on waiting, and can use the change that woke it alone only later. */
  private void passToAll() {
    synchronized (this) {
      if (!owesWake) {
        return;
      }
      owesWake = false;
    }
    timer.execute(() -> waiters.wakeAll(key));
  }

  /** Not on this stack: the next one may fail at once, too. */
  private void wakeAnother() {
    timer.execute(() -> waiters.wakeOne(key));
  }

  private void failed(@Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof LedgerException.Overloaded busy && !isOver()) {
      park(busy.retryAfter(), false);
    } else {
      answer.completeExceptionally(
          cause == null ? new IllegalStateException("nothing came of a try") : cause);
    }
  }

  /**
   * Sleeps until the next wake-up.
   *
   * @param isHeld whether the try has found the record held: it changes again when it is free
   */
  private void park(@Nullable Duration atMost, boolean isHeld) {
    synchronized (this) {
      if (!woken || answer.isDone()) {
        trying = false;
        if (!answer.isDone()) {
          owesWake &= !isHeld;
          nextTry =
              atMost == null
                  ? null
                  : timer.schedule(() -> wake(false), atMost.toNanos(), TimeUnit.NANOSECONDS);
        }
        return;
      }
      woken = false;
    }
    attempt();
  }

  /** A change that comes while a try is under way may be newer than what that one saw. */
  private boolean wake(boolean alone) {
    synchronized (this) {
      if (ended) {
        return false;
      }
      owesWake |= alone;
      if (trying) {
        woken = true;
        return true;
      }
      trying = true;
      stopTimer();
    }
    if (!answer.isDone()) {
      attempt();
    }
    return true;
  }

  private void waitIsOver() {
    synchronized (this) {
      over = true;
    }
    wake(false);
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
