package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.ScanWindow;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.run.AdvanceDueRun;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Looks at runs when something is due that no worker does: the end of a wait or of a lease. What is
 * due is said by the database's clock; the one of this node only measures how long it is until
 * then.
 */
final class RunTimer {
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LOAD = Duration.ofSeconds(5);

  /** What is due later than this is left to the database. */
  static final Duration AHEAD = LOAD.multipliedBy(2);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration REST = Duration.ofMillis(20);
  private static final int AT_ONCE = 1_000;

  private final RunReads reads;
  private final InstantSource clock;
  private final DueRunTimes due;
  private final RunDispatcher routes;
  private final ScheduledExecutorService timer;
  private final ScanWindow lookBack;
  private final FailureLog log = new FailureLog(RunTimer.class, "advance of due runs");
  private final SingleFlight query;

  RunTimer(
      RunReads reads,
      InstantSource clock,
      DueRunTimes due,
      RunDispatcher routes,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.due = due;
    this.routes = routes;
    this.timer = timer;
    this.lookBack = new ScanWindow(clock);
    this.query = new SingleFlight(this::load, REST, log, timer);
  }

  void start() {
    var _ = timer.scheduleWithFixedDelay(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
    var _ = timer.scheduleWithFixedDelay(query::request, 0, LOAD.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void tick() {
    due.take(clock.instant(), AT_ONCE)
        .forEach(
            run -> {
              var _ = look(run).whenComplete(log::ended);
            });
  }

  private CompletableFuture<?> look(RunId run) {
    return routes
        .submit(new AdvanceDueRun(run), Optional::stream)
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                due.put(run, clock.instant().plus(PAUSE));
              }
            });
  }

  /** What this node does not know of: other nodes' runs, and those of before it was started. */
  private CompletableFuture<?> load() {
    var look = lookBack.begin();
    return reads
        .due(AHEAD, look.back(), AT_ONCE)
        .thenCompose(
            found ->
                take(found)
                    .thenRun(
                        () -> {
                          if (found.size() < AT_ONCE) {
                            lookBack.seen(look);
                          } else {
                            loadIn(found.getLast().in());
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
            .map(run -> look(run.run()))
            .toArray(CompletableFuture[]::new));
  }

  /** There are more, which are due when the last of these is. */
  private void loadIn(Duration time) {
    var _ = timer.schedule(query::request, Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
  }
}
