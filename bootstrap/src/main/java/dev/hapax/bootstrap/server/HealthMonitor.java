package dev.hapax.bootstrap.server;

import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.operation.OperationSweep.Swept;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.postgres.PostgresStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background checks of a server: database health, overdue janitors, and sweeps of operations.
 */
final class HealthMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HealthMonitor.class);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(3);
  private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

  /** A sweep must not wait longer for a ledger that does not answer. */
  private static final Duration SWEEP_TIMEOUT = Duration.ofSeconds(30);

  /** An incomplete sweep is followed by a pause of this many times its duration. */
  private static final int PAUSE_FACTOR = 3;

  private final FailureLog healthLog = new FailureLog(HealthMonitor.class, "health check");
  private final FailureLog janitorLog = new FailureLog(JanitorHealth.class, "janitor check");
  private final FailureLog sweepLog =
      new FailureLog(OperationSweep.class, "sweep of released operations");
  private final Loop healthLoop;
  private final Loop janitorLoop;
  private final Loop sweepLoop;
  private final String prefix;
  private final Supplier<Optional<String>> problems;
  private final Consumer<Boolean> report;
  private final Runnable janitors;
  private final Supplier<CompletableFuture<Swept>> sweep;
  private final ScheduledExecutorService health;
  private final ScheduledExecutorService sweeps;
  private volatile boolean serving;
  private volatile Optional<String> problem = Optional.empty();

  /**
   * Checks a store and the work on it.
   *
   * @param prefix begins each line of the log
   * @param report receives whether the store can be used, on each change
   */
  HealthMonitor(
      String prefix,
      PostgresStore store,
      Consumer<Boolean> report,
      OperationSweep sweep,
      JanitorHealth janitors) {
    this(
        prefix,
        () -> problem(store),
        report,
        janitors::check,
        sweep::run,
        thread("health"),
        thread("sweep"),
        System::nanoTime);
  }

  /**
   * Checks in these threads.
   *
   * @param prefix begins each line of the log
   * @param problems why the server should not serve; empty = it should
   * @param report receives whether the server serves, on each change
   * @param nanoTime the clock of the loops, as {@link System#nanoTime}
   */
  HealthMonitor(
      String prefix,
      Supplier<Optional<String>> problems,
      Consumer<Boolean> report,
      Runnable janitors,
      Supplier<CompletableFuture<Swept>> sweep,
      ScheduledExecutorService health,
      ScheduledExecutorService sweeps,
      LongSupplier nanoTime) {
    this.prefix = prefix;
    this.problems = problems;
    this.report = report;
    this.janitors = janitors;
    this.sweep = sweep;
    this.health = health;
    this.sweeps = sweeps;
    healthLoop = new Loop("health", CHECK_INTERVAL, nanoTime);
    janitorLoop = new Loop("janitor-health", CHECK_INTERVAL, nanoTime);
    sweepLoop = new Loop("operation-sweep", SWEEP_INTERVAL, nanoTime);
  }

  private static ScheduledExecutorService thread(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().daemon().name(name).factory());
  }

  void start() {
    serving = true;
    every(health, CHECK_INTERVAL, healthLog.surviving(healthLoop.round(this::checkHealth)));
    every(health, CHECK_INTERVAL, janitorLog.surviving(janitorLoop.round(janitors)));
    every(sweeps, SWEEP_INTERVAL, sweepLog.surviving(sweepLoop.round(this::sweep)));
  }

  /** Sweeps until nothing is left, for at most a quarter of the time. */
  private void sweep() {
    while (!Thread.currentThread().isInterrupted()) {
      var begun = System.nanoTime();
      if (sweep.get().orTimeout(SWEEP_TIMEOUT.toSeconds(), TimeUnit.SECONDS).join().complete()) {
        return;
      }
      // a sweep of many batches may take longer than a loop may rest
      sweepLoop.ended(true);
      LockSupport.parkNanos((System.nanoTime() - begun) * PAUSE_FACTOR);
    }
  }

  List<Loop> loops() {
    return List.of(healthLoop, janitorLoop, sweepLoop);
  }

  /** Returns whether the server reports SERVING. */
  boolean isServing() {
    return serving;
  }

  /** Why the database cannot be used, if so. */
  Optional<String> problem() {
    return problem;
  }

  private static void every(ScheduledExecutorService thread, Duration period, Runnable work) {
    var _ =
        thread.scheduleWithFixedDelay(
            work, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Reports NOT_SERVING while the database is unreachable or read-only, or refuses this server, or
   * while the ledger hangs, so that load balancers send no calls. Calls in flight go on.
   */
  private void checkHealth() {
    var found = problems.get();
    if (!found.equals(problem)) {
      problem = found;
      serving = found.isEmpty();
      report.accept(serving);
      LOG.warn("{}{}", prefix, found.orElse("the database is available again"));
    }
  }

  private static Optional<String> problem(PostgresStore store) {
    var problem = store.database().problem().map("the database "::concat);
    if (problem.isPresent()) {
      return problem;
    }
    var refusal = store.refusal().map("not serving: "::concat);
    return refusal.isPresent() || store.isProgressing()
        ? refusal
        : Optional.of("not serving: the ledger has completed no batch for 30 s");
  }

  @Override
  public void close() {
    health.shutdownNow();
    sweeps.shutdownNow();
  }
}
