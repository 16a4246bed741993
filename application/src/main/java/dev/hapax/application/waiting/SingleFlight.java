package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs asynchronous work on request, one run at a time. Requests that come during a run, or during
 * the rest after it, are served by one more run. A run that fails is logged and repeated.
 */
public final class SingleFlight {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Supplier<? extends CompletableFuture<?>> work;
  private final Duration rest;
  private final FailureLog log;
  private final ScheduledExecutorService timer;

  // guarded by this
  private boolean busy;
  private boolean requested;

  /**
   * Runs nothing yet.
   *
   * @param work one run; sees what was there when it was requested
   * @param rest how long to wait after a run before the next one may begin
   */
  public SingleFlight(
      Supplier<? extends CompletableFuture<?>> work,
      Duration rest,
      FailureLog log,
      ScheduledExecutorService timer) {
    this.work = work;
    this.rest = rest;
    this.log = log;
    this.timer = timer;
  }

  /** Has the work run from its beginning after this call, at once if it is idle. */
  public void request() {
    synchronized (this) {
      requested = true;
      if (busy) {
        return;
      }
      busy = true;
    }
    runIfRequested();
  }

  private void runIfRequested() {
    synchronized (this) {
      busy = requested;
      requested = false;
      if (!busy) {
        return;
      }
    }
    var _ = begin().whenComplete((_, failure) -> ended(failure));
  }

  private CompletableFuture<?> begin() {
    try {
      return work.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void ended(@Nullable Throwable failure) {
    if (failure == null) {
      runAfter(rest);
      return;
    }
    log.failed(failure);
    synchronized (this) {
      requested = true;
    }
    runAfter(RETRY.compareTo(rest) < 0 ? rest : RETRY);
  }

  private void runAfter(Duration pause) {
    try {
      var _ = timer.schedule(this::runIfRequested, pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException _) {
      // this server is stopping
    }
  }
}
