package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.RecentRemoteActivity;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Creates and connects the services for runs, tasks and timers of one node. */
public final class RunServices {
  private static final Duration SCAN_INTERVAL = Duration.ofSeconds(10);
  private static final FailureLog SCANS =
      new FailureLog(RunServices.class, "request of a scan for ready tasks");

  private final Loop scans = new Loop("ready-task-search", SCAN_INTERVAL, System::nanoTime);
  private final PolledQueues polledQueues;
  private final Runs runs;
  private final Tasks tasks;
  private final RunTimer runTimer;
  private final ScheduledExecutorService timer;

  /**
   * Creates the services.
   *
   * @param random generates ids and nonces
   */
  public RunServices(
      Ledger ledger,
      RunReads reads,
      WaiterQuota places,
      InstantSource clock,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.timer = timer;
    var due = new DueRunTimes();
    this.polledQueues = new PolledQueues(reads, clock, timer);
    var dispatcher = new RunDispatcher(ledger, reads, clock, due, polledQueues, random);
    var remoteActivity = new RecentRemoteActivity();
    this.runs = new Runs(ledger, reads, clock, random, dispatcher, polledQueues, places, timer);
    this.tasks =
        new Tasks(
            ledger, reads, clock, dispatcher, polledQueues, places, remoteActivity, random, timer);
    this.runTimer = new RunTimer(reads, clock, due, dispatcher, timer);
    ledger.onRemoteCommit(
        () -> {
          remoteActivity.recorded();
          polledQueues.requestScan();
        });
  }

  public Runs runs() {
    return runs;
  }

  public Tasks tasks() {
    return tasks;
  }

  /** The repeated work that {@link #start} begins. */
  public List<Loop> loops() {
    return Stream.concat(runTimer.loops().stream(), Stream.of(scans)).toList();
  }

  /** Starts the timers and the periodic scan for ready tasks. */
  public void start() {
    runTimer.start();
    var _ =
        timer.scheduleWithFixedDelay(
            SCANS.surviving(scans.round(polledQueues::requestScan)),
            SCAN_INTERVAL.toMillis(),
            SCAN_INTERVAL.toMillis(),
            TimeUnit.MILLISECONDS);
  }
}
