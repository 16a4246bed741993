package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.ScanWindow;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.limit.EnterStep;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Advances runs when a wait times out or a lease expires. The database's clock decides what is due;
 * the clock of this node only measures the time until then.
 */
final class RunTimer {
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LOAD = Duration.ofSeconds(5);

  /** Runs that are due later than this are not loaded yet. */
  static final Duration AHEAD = LOAD.multipliedBy(2);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration REST = Duration.ofMillis(20);
  private static final int AT_ONCE = 1_000;

  private final RunReads reads;
  private final InstantSource clock;
  private final DueRunTimes due;
  private final RunDispatcher dispatcher;
  private final ScheduledExecutorService timer;
  private final ScanWindow window;
  private final FailureLog log = new FailureLog(RunTimer.class, "advance of due runs");
  private final Loop ticks = new Loop("due-runs", TICK, System::nanoTime);
  private final Loop loads = new Loop("due-run-search", LOAD, System::nanoTime);
  private final SingleFlight query;

  RunTimer(
      RunReads reads,
      InstantSource clock,
      DueRunTimes due,
      RunDispatcher dispatcher,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.due = due;
    this.dispatcher = dispatcher;
    this.timer = timer;
    this.window = new ScanWindow(clock);
    this.query = new SingleFlight(this::load, REST, log, timer, loads::ended);
  }

  void start() {
    var _ =
        timer.scheduleWithFixedDelay(
            log.surviving(ticks.round(this::tick)), 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
    var _ =
        timer.scheduleWithFixedDelay(
            log.surviving(query::request), 0, LOAD.toMillis(), TimeUnit.MILLISECONDS);
  }

  List<Loop> loops() {
    return List.of(ticks, loads);
  }

  private void tick() {
    due.take(clock.instant(), AT_ONCE)
        .forEach(
            run -> {
              var _ = advance(run).whenComplete(log::ended);
            });
  }

  private CompletableFuture<?> advance(RunId run) {
    return dispatcher
        .enter(EnterStep.of(run))
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                due.put(run, clock.instant().plus(PAUSE));
              }
            });
  }

  /**
   * Loads due runs that this node does not know: those of other nodes, and those from before it was
   * started.
   */
  private CompletableFuture<?> load() {
    var scan = window.begin();
    return reads
        .due(AHEAD, scan.window(), AT_ONCE)
        .thenCompose(
            found ->
                take(found)
                    .thenRun(
                        () -> {
                          if (found.size() < AT_ONCE) {
                            window.completed(scan);
                          } else {
                            loadAfter(found.getLast().in());
                          }
                        }));
  }

  private CompletableFuture<Void> take(List<RunReads.Due> found) {
    var now = clock.instant();
    found.stream()
        .filter(run -> !run.isOver())
        .forEach(run -> due.put(run.run(), now.plus(run.in())));
    return CompletableFuture.allOf(
        found.stream()
            .filter(RunReads.Due::isOver)
            .map(run -> advance(run.run()))
            .toArray(CompletableFuture[]::new));
  }

  /** Loads the remaining runs when the last one of these is due. */
  private void loadAfter(Duration time) {
    var _ = timer.schedule(query::request, Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
  }
}
