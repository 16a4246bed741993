package dev.hapax.application.run;

import dev.hapax.application.waiting.LookBack;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.LookAtRun;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks at runs when something is due that no worker does: the end of a wait or of a lease. */
final class RunTimer {
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LOAD = Duration.ofSeconds(5);
  private static final Duration AHEAD = LOAD.multipliedBy(2);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int AT_ONCE = 1_000;

  private final Ledger ledger;
  private final RunReads reads;
  private final InstantSource clock;
  private final DueRuns due;
  private final RunRoutes routes;
  private final LookBack lookBack;

  // guarded by this
  private boolean loading;

  RunTimer(Ledger ledger, RunReads reads, InstantSource clock, DueRuns due, RunRoutes routes) {
    this.ledger = ledger;
    this.reads = reads;
    this.clock = clock;
    this.due = due;
    this.routes = routes;
    this.lookBack = new LookBack(clock);
  }

  void start(ScheduledExecutorService timer) {
    var _ = timer.scheduleWithFixedDelay(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
    var _ = timer.scheduleWithFixedDelay(this::load, 0, LOAD.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void tick() {
    due.take(clock.instant(), AT_ONCE)
        .forEach(
            run -> {
              var _ = look(run);
            });
  }

  private CompletableFuture<?> look(RunId run) {
    return ledger
        .submit(new LookAtRun(run))
        .whenComplete(
            (seen, failure) -> {
              if (failure == null) {
                seen.run().ifPresent(found -> routes.saw(found, seen.now()));
              } else {
                due.put(run, clock.instant().plus(PAUSE));
              }
            });
  }

  /** What this node does not know of: other nodes' runs, and those of before it was started. */
  private void load() {
    if (!begin()) {
      return;
    }
    var now = clock.instant();
    var look = lookBack.begin();
    var _ =
        reads
            .due(now.plus(AHEAD), look.back(), AT_ONCE)
            .thenCompose(found -> take(found, now))
            .whenComplete((_, _) -> end())
            .thenAccept(
                full -> {
                  if (full) {
                    load();
                  } else {
                    lookBack.seen(look);
                  }
                });
  }

  private synchronized boolean begin() {
    var begins = !loading;
    loading = true;
    return begins;
  }

  private synchronized void end() {
    loading = false;
  }

  /** Whether there may be more of what is due by now. */
  private CompletableFuture<Boolean> take(List<RunReads.Due> found, Instant now) {
    found.stream()
        .filter(run -> now.isBefore(run.at()))
        .forEach(run -> due.put(run.run(), run.at()));
    var overdue =
        found.stream()
            .filter(run -> !now.isBefore(run.at()))
            .map(run -> look(run.run()))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(overdue).thenApply(_ -> overdue.length == AT_ONCE);
  }
}
