package dev.hapax.application.limit;

import static java.util.concurrent.CompletableFuture.allOf;
import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets the runs go on that wait in lines of tokens or limits, if the node whose commit called for
 * it was stopped before. While no run waits, it asks for no more than that.
 */
final class LineSearch {
  static final Duration PERIOD = Duration.ofSeconds(5);
  private static final Duration REST = Duration.ofMillis(20);

  private final LimitReads reads;
  private final Supplier<CompletableFuture<?>> turns;
  private final Supplier<CompletableFuture<?>> admissions;
  private final FailureLog log = new FailureLog(LineSearch.class, "search of lines");
  private final Loop loop = new Loop("line-search", PERIOD, System::nanoTime);

  LineSearch(
      LimitReads reads,
      Supplier<CompletableFuture<?>> turns,
      Supplier<CompletableFuture<?>> admissions) {
    this.reads = reads;
    this.turns = turns;
    this.admissions = admissions;
  }

  void startBy(ScheduledExecutorService timer) {
    var search = new SingleFlight(this::search, REST, log, timer, loop::ended);
    var _ =
        timer.scheduleWithFixedDelay(
            log.surviving(search::request), 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  Loop loop() {
    return loop;
  }

  private CompletableFuture<?> search() {
    return reads
        .hasPlaces()
        .thenCompose(found -> found ? allOf(turns.get(), admissions.get()) : completedFuture(null));
  }
}
