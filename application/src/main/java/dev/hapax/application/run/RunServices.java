package dev.hapax.application.run;

import dev.hapax.application.waiting.RecentRemoteActivity;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What runs need, put together: clients, workers and the timer see the same runs. */
public final class RunServices {
  private static final Duration DOUBT = Duration.ofSeconds(10);

  private final PolledQueues dispatch;
  private final Runs runs;
  private final Tasks tasks;
  private final RunTimer runTimer;
  private final ScheduledExecutorService timer;

  /**
   * Puts them together.
   *
   * @param random draws ids and nonces
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
    this.dispatch = new PolledQueues(reads, clock, timer);
    var routes = new RunDispatcher(ledger, reads, clock, due, dispatch, random);
    var foreign = new RecentRemoteActivity();
    this.runs = new Runs(ledger, reads, clock, random, routes, dispatch, places, timer);
    this.tasks = new Tasks(ledger, reads, clock, routes, dispatch, places, foreign, random, timer);
    this.runTimer = new RunTimer(reads, clock, due, routes, timer);
    ledger.onForeignCommit(
        () -> {
          foreign.seen();
          dispatch.doubt();
        });
  }

  public Runs runs() {
    return runs;
  }

  public Tasks tasks() {
    return tasks;
  }

  /** Begins to look for what is due. */
  public void start() {
    runTimer.start();
    var _ =
        timer.scheduleWithFixedDelay(
            dispatch::doubt, DOUBT.toMillis(), DOUBT.toMillis(), TimeUnit.MILLISECONDS);
  }
}
