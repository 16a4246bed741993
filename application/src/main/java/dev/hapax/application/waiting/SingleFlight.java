package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs asynchronous work on request, one run at a time. Requests during a run, or during the pause
 * after it, share one more run. A failed run is logged and retried.
 */
public final class SingleFlight {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Supplier<? extends CompletableFuture<?>> work;
  private final Duration rest;
  private final FailureLog log;
  private final ScheduledExecutorService timer;
  private final Consumer<Boolean> afterRun;

  // guarded by this
  private boolean busy;
  private boolean requested;

  /**
   * Creates an idle runner.
   *
   * @param work one run, which begins after its request
   * @param rest the pause between two runs
   */
  public SingleFlight(
      Supplier<? extends CompletableFuture<?>> work,
      Duration rest,
      FailureLog log,
      ScheduledExecutorService timer) {
    this(work, rest, log, timer, _ -> {});
  }

  /**
   * Creates an idle runner.
   *
   * @param work one run, which begins after its request
   * @param rest the pause between two runs
   * @param afterRun takes whether a run succeeded, when it has ended
   */
  public SingleFlight(
      Supplier<? extends CompletableFuture<?>> work,
      Duration rest,
      FailureLog log,
      ScheduledExecutorService timer,
      Consumer<Boolean> afterRun) {
    this.work = work;
    this.rest = rest;
    this.log = log;
    this.timer = timer;
    this.afterRun = afterRun;
  }

  /** Requests a run that begins after this call, at once if the runner is idle. */
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
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void ended(@Nullable Throwable failure) {
    afterRun.accept(failure == null);
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
      // the server is stopping
    }
  }
}
