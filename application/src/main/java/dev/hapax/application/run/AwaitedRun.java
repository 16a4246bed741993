package dev.hapax.application.run;

import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Reads again at each change of a run, until what was read is what is waited for.
 *
 * @param <T> what is read
 */
final class AwaitedRun<T> {
  private final RunId run;
  private final Waiters<RunId> waiters;
  private final Supplier<CompletableFuture<T>> read;
  private final Predicate<T> enough;
  private final Runnable wake = this::wake;
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  // guarded by this
  private boolean reading = true;
  private boolean woken;
  private boolean over;

  AwaitedRun(
      RunId run, Waiters<RunId> waiters, Supplier<CompletableFuture<T>> read, Predicate<T> enough) {
    this.run = run;
    this.waiters = waiters;
    this.read = read;
    this.enough = enough;
  }

  /** Completes with what is read when the wait ends, if not before. */
  CompletableFuture<T> start(Duration wait, ScheduledExecutorService timer) {
    waiters.enter(run, wake);
    Future<?> end = timer.schedule(this::end, wait.toNanos(), TimeUnit.NANOSECONDS);
    var _ =
        answer.whenComplete(
            (_, _) -> {
              end.cancel(false);
              waiters.leave(run, wake);
            });
    read();
    return answer;
  }

  private void read() {
    var _ =
        read.get()
            .whenComplete(
                (found, failure) -> {
                  if (failure != null) {
                    answer.completeExceptionally(failure);
                  } else if (enough.test(found) || isLast()) {
                    answer.complete(found);
                  }
                });
  }

  /** Whether this reading was the last; if it was not, it goes on or waits. */
  private boolean isLast() {
    synchronized (this) {
      if (over || waiters.isClosed()) {
        return true;
      }
      if (!woken) {
        reading = false;
        return false;
      }
      woken = false;
    }
    read();
    return false;
  }

  /** A change that comes while a reading is under way may be newer than what that one saw. */
  private void wake() {
    synchronized (this) {
      if (reading) {
        woken = true;
        return;
      }
      reading = true;
    }
    if (!answer.isDone()) {
      read();
    }
  }

  private void end() {
    synchronized (this) {
      if (reading) {
        woken = true;
      }
      over = true;
    }
    wake();
  }
}
