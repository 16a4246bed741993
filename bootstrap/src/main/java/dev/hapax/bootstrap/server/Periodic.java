package dev.hapax.bootstrap.server;

import dev.hapax.application.operation.OperationSweep;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.postgres.PostgresStore;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the server does by itself: look whether the database is there and janitors are in time, and
 * sweep.
 */
final class Periodic implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Periodic.class);
  private static final Duration LOOK = Duration.ofSeconds(3);
  private static final Duration SWEEP = Duration.ofMinutes(1);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("periodic").factory());
  private final PostgresStore store;
  private final HapaxServer server;
  private final OperationSweep sweep;
  private final JanitorHealth janitors;
  private volatile boolean serving;

  Periodic(PostgresStore store, HapaxServer server, OperationSweep sweep, JanitorHealth janitors) {
    this.store = store;
    this.server = server;
    this.sweep = sweep;
    this.janitors = janitors;
  }

  void start() {
    serving = true;
    every(LOOK, this::look);
    every(LOOK, janitors::look);
    every(SWEEP, () -> sweep.run().join());
  }

  /** Whether it would tell that it can be called. */
  boolean isServing() {
    return serving;
  }

  private void every(Duration period, Runnable work) {
    var _ =
        thread.scheduleWithFixedDelay(
            () -> runAndLog(work), period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** What is thrown out of a scheduled task would end it for good. */
  private static void runAndLog(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      LOG.warn("put off: {}", e.getMessage());
    }
  }

  /** Who cannot reach its database should get no calls; it is not to be restarted for that. */
  private void look() {
    var reachable = store.isReachable();
    if (reachable != serving) {
      serving = reachable;
      server.setServing(reachable);
      LOG.warn(reachable ? "the database answers again" : "the database does not answer");
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
