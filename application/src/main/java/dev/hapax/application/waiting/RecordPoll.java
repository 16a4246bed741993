package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A long poll for the change of one record: repeats an attempt when the record changes, when the
 * previous attempt requests it, and when the wait ends. The result of the last attempt is the
 * answer. A poll for tasks of a queue is a {@code TaskPoll}.
 *
 * @param <K> the key of the awaited record
 * @param <T> the result of an attempt
 */
public final class RecordPoll<K extends RecordKey<?>, T> {
  /** The next action after an attempt. */
  public sealed interface Next {
    /** Answer with the result; the same change answers other waiters of the record, too. */
    record Answer() implements Next {}

    /** Answer with the result, which takes the record: other waiters keep waiting. */
    record Taken() implements Next {}

    /** Retry when the record changes. */
    record AtChange() implements Next {}

    /** Retry when the record changes, or after this time. */
    record Within(Duration time) implements Next {}

    /**
     * Retry when the record changes, or after this time. The record is free, so other waiters try
     * now.
     */
    record Later(Duration time) implements Next {}

    /** Answers if the result is sufficient; otherwise waits for a change. */
    static Next answerIf(boolean isEnough) {
      return isEnough ? new Answer() : new AtChange();
    }
  }

  private final K key;
  private final Waiters<K> waiters;
  private final ScheduledExecutorService timer;
  private final Function<Duration, CompletableFuture<T>> attempt;
  private final Function<T, Next> next;
  private final Optional<Written<T>> written;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  // guarded by this
  private boolean attempting = true;
  private boolean woken;
  // only this waiter was woken, and no attempt since has found the record held
  private boolean owesWake;
  private boolean waitEnded;
  private boolean ended;
  // of the last attempt
  private long foundVersion;
  private @Nullable Future<?> nextAttempt;
  private Future<?> lastAttempt = CompletableFuture.completedFuture(null);

  /**
   * Reads the records that commits of this server wrote.
   *
   * @param result of an attempt that would find this record; null = it was removed
   * @param version greater for a later result of the same record
   */
  public record Written<T>(Function<@Nullable Object, T> result, ToLongFunction<T> version) {}

  /**
   * Creates a long poll that is not started.
   *
   * @param attempt receives the time waited so far; cancelled when the caller stops waiting
   */
  public RecordPoll(
      K key,
      Waiters<K> waiters,
      ScheduledExecutorService timer,
      Function<Duration, CompletableFuture<T>> attempt,
      Function<T, Next> next) {
    this(key, waiters, timer, attempt, next, Optional.empty());
  }

  private RecordPoll(
      K key,
      Waiters<K> waiters,
      ScheduledExecutorService timer,
      Function<Duration, CompletableFuture<T>> attempt,
      Function<T, Next> next,
      Optional<Written<T>> written) {
    this.key = key;
    this.waiters = waiters;
    this.timer = timer;
    this.attempt = attempt;
    this.next = next;
    this.written = written;
  }

  /** The same poll, which needs no attempt after a commit of this server. */
  public RecordPoll<K, T> withoutReading(Written<T> written) {
    return new RecordPoll<>(key, waiters, timer, attempt, next, Optional.of(written));
  }

  /**
   * Starts the poll. Cancelling the future frees the place and cancels the attempt in progress,
   * which may still succeed.
   *
   * @throws TooManyWaitersException if the workspace has reached its limit
   */
  public CompletableFuture<T> start(Duration wait) {
    return start(wait, () -> attempt.apply(Duration.ZERO));
  }

  /**
   * Starts the poll as {@link #start(Duration)} does, with another first attempt.
   *
   * @param first is called while this waits for the record already
   */
  public CompletableFuture<T> start(Duration wait, Supplier<CompletableFuture<T>> first) {
    var ticket = waiters.enter(key, new Parked());
    var end = timer.schedule(this::endWait, wait.toNanos(), TimeUnit.NANOSECONDS);
    var _ =
        answer.whenComplete(
            (found, _) -> {
              end.cancel(false);
              waiters.leave(key, ticket);
              stop();
              passOn(found);
            });
    follow(first);
    return answer;
  }

  private final class Parked implements Waiters.Waiter {
    @Override
    public boolean wake(boolean alone) {
      return RecordPoll.this.wake(alone);
    }

    /** The attempt under way may find an older state; the poll parks then, and misses nothing. */
    @Override
    public void written(@Nullable Object record) {
      if (written.isEmpty()) {
        wake(false);
        return;
      }
      var found = written.get().result().apply(record);
      // a commit that was in doubt is published late
      if (versionOf(found) >= foundVersion() && next.apply(found) instanceof Next.Answer) {
        answer.complete(found);
      }
    }
  }

  private void attempt() {
    follow(() -> attempt.apply(Duration.ofNanos(System.nanoTime() - startNanos)));
  }

  private void follow(Supplier<CompletableFuture<T>> attempt) {
    var found = CancellableFutures.attempt(attempt);
    synchronized (this) {
      lastAttempt = found;
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
    synchronized (this) {
      foundVersion = versionOf(found);
    }
    switch (next.apply(found)) {
      case Next.Answer _, Next.Taken _ -> answer.complete(found);
      case Next _ when hasWaitEnded() -> answer.complete(found);
      case Next.AtChange() -> park(null, true);
      case Next.Within(var time) -> park(time, true);
      case Next.Later(var time) -> {
        passToAll();
        park(time, true);
      }
    }
  }

  /** Passes on a change that woke only this waiter. */
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
      // the attempt failed, the wait ended, or the record has changed since the attempt
      case Next.Taken _, Next.AtChange _, Next.Within _, Next.Later _ -> wakeAnother();
    }
  }

  /** Wakes all waiters, because this one cannot use the change yet. */
  private void passToAll() {
    synchronized (this) {
      if (!owesWake) {
        return;
      }
      owesWake = false;
    }
    timer.execute(() -> waiters.wakeAll(key));
  }

  /** Wakes the next waiter on another stack, because it may fail at once, too. */
  private void wakeAnother() {
    timer.execute(() -> waiters.wakeOne(key));
  }

  private void failed(@Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof LedgerException.Overloaded busy && !hasWaitEnded()) {
      park(busy.retryAfter(), false);
    } else {
      answer.completeExceptionally(
          cause == null
              ? new IllegalStateException("the attempt completed without a result")
              : cause);
    }
  }

  /**
   * Sleeps until the next wake-up.
   *
   * @param isHeld whether the attempt found the record held, which changes when it is released
   */
  private void park(@Nullable Duration atMost, boolean isHeld) {
    synchronized (this) {
      if (!woken || answer.isDone()) {
        attempting = false;
        if (!answer.isDone()) {
          owesWake &= !isHeld;
          nextAttempt =
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

  /**
   * Wakes this waiter. A change during an attempt may be newer than its result, so it causes
   * another attempt.
   */
  private boolean wake(boolean alone) {
    synchronized (this) {
      if (ended) {
        return false;
      }
      owesWake |= alone;
      if (attempting) {
        woken = true;
        return true;
      }
      attempting = true;
      stopTimer();
    }
    if (!answer.isDone()) {
      attempt();
    }
    return true;
  }

  private void endWait() {
    synchronized (this) {
      waitEnded = true;
    }
    wake(false);
  }

  private long versionOf(T found) {
    return written.map(each -> each.version().applyAsLong(found)).orElse(0L);
  }

  private synchronized long foundVersion() {
    return foundVersion;
  }

  private synchronized boolean hasWaitEnded() {
    return waitEnded || waiters.isClosed();
  }

  private void stop() {
    stopTimer();
    currentAttempt().cancel(false);
  }

  private synchronized Future<?> currentAttempt() {
    return lastAttempt;
  }

  private synchronized void stopTimer() {
    if (nextAttempt != null) {
      nextAttempt.cancel(false);
      nextAttempt = null;
    }
  }
}
