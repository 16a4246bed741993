package dev.hapax.bootstrap.server;

import dev.hapax.application.operation.OperationSweep;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.postgres.PostgresStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the server does by itself: look whether the database is there and janitors are in time, and
 * sweep.
 */
final class HealthMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HealthMonitor.class);
  private static final Duration LOOK = Duration.ofSeconds(3);
  private static final Duration SWEEP = Duration.ofMinutes(1);

  /** A sweep waits for the ledger; health must be able to say that the ledger does not answer. */
  private static final Duration SWEEP_TIMEOUT = Duration.ofSeconds(30);

  /** A sweep that left something is followed by a pause so many times as long. */
  private static final int SWEEP_PAUSES = 3;

  private final ScheduledExecutorService health = thread("health");
  private final ScheduledExecutorService sweeps = thread("sweep");
  private final PostgresStore store;
  private final HapaxServer server;
  private final OperationSweep sweep;
  private final JanitorHealth janitors;
  private volatile boolean serving;
  private Optional<String> problem = Optional.empty();

  HealthMonitor(
      PostgresStore store, HapaxServer server, OperationSweep sweep, JanitorHealth janitors) {
    this.store = store;
    this.server = server;
    this.sweep = sweep;
    this.janitors = janitors;
  }

  private static ScheduledExecutorService thread(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().daemon().name(name).factory());
  }

  void start() {
    serving = true;
    every(health, LOOK, "health check", this::look);
    every(health, LOOK, "janitor check", janitors::look);
    every(sweeps, SWEEP, "removal of released operations", this::sweep);
  }

  /** Until nothing is left, for a quarter of the time at most. */
  private void sweep() {
    while (!Thread.currentThread().isInterrupted()) {
      var begun = System.nanoTime();
      if (sweep.run().orTimeout(SWEEP_TIMEOUT.toSeconds(), TimeUnit.SECONDS).join().complete()) {
        return;
      }
      LockSupport.parkNanos((System.nanoTime() - begun) * SWEEP_PAUSES);
    }
  }

  /** Whether it would tell that it can be called. */
  boolean isServing() {
    return serving;
  }

  private static void every(
      ScheduledExecutorService thread, Duration period, String what, Runnable work) {
    var _ =
        thread.scheduleWithFixedDelay(
            () -> runAndLog(period, what, work),
            period.toMillis(),
            period.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** What is thrown out of a scheduled task would end it for good. */
  private static void runAndLog(Duration period, String what, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      LOG.warn("{} failed, will retry in {} s", what, period.toSeconds(), e);
    }
  }

  /**
   * A server that cannot reach its database, cannot write to it, or whose ledger hangs, should get
   * no calls; it is not to be restarted for the former.
   */
  private void look() {
    var found = problem();
    if (!found.equals(problem)) {
      problem = found;
      serving = found.isEmpty();
      server.setServing(serving);
      LOG.warn(found.orElse("the database answers again"));
    }
  }

  private Optional<String> problem() {
    var problem = store.database().problem().map("the database "::concat);
    return problem.isPresent() || store.isProgressing()
        ? problem
        : Optional.of("not serving: the ledger has finished no batch for 30 s");
  }

  @Override
  public void close() {
    health.shutdownNow();
    sweeps.shutdownNow();
  }
}
