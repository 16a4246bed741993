package dev.hapax.application.janitor;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Queries the status of all janitors periodically, and caches it. */
final class JanitorMonitor {
  static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final FailureLog QUERIES =
      new FailureLog(JanitorMonitor.class, "query for janitors");

  private final Loop loop = new Loop("janitors", INTERVAL, System::nanoTime);
  private final JanitorReads reads;
  private final InstantSource clock;
  private final Consumer<JanitorStatus> listener;
  private final ScheduledExecutorService timer;
  private volatile Snapshot last = new Snapshot(Map.of(), Instant.EPOCH);
  private final SingleFlight query;

  /** The result of the last query, and its time. */
  private record Snapshot(Map<JanitorId, JanitorStatus> janitors, Instant at) {}

  /**
   * Creates a monitor that is not started.
   *
   * @param listener receives the status of each janitor after each query
   */
  JanitorMonitor(
      JanitorReads reads,
      InstantSource clock,
      Consumer<JanitorStatus> listener,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.listener = listener;
    this.timer = timer;
    this.query = new SingleFlight(this::load, Duration.ZERO, QUERIES, timer, loop::ended);
  }

  void start() {
    var _ =
        timer.scheduleWithFixedDelay(
            QUERIES.surviving(query::request), 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  Loop loop() {
    return loop;
  }

  private CompletableFuture<?> load() {
    var at = clock.instant();
    return reads.list().thenAccept(found -> loaded(found, at));
  }

  private void loaded(List<JanitorStatus> found, Instant at) {
    last =
        new Snapshot(
            found.stream().collect(Collectors.toMap(JanitorStatus::id, Function.identity())), at);
    found.forEach(listener);
  }

  /** Passes on a declared janitor, whose sweep may be due before the next query. */
  void declared(JanitorId id, Janitor janitor) {
    listener.accept(new JanitorStatus(id, janitor, Optional.empty(), janitor.declaredAt()));
  }

  /** Returns the result of the last query, with the lag as of now. */
  List<JanitorStatus> last() {
    var snapshot = last;
    var age = Duration.between(snapshot.at(), clock.instant());
    return snapshot.janitors().values().stream()
        .map(status -> age.isPositive() ? status.after(age) : status)
        .toList();
  }

  /** Returns the contract of a polling module; served from the cache because polls are frequent. */
  CompletableFuture<Optional<JanitorContract>> contract(JanitorId id) {
    var known =
        Optional.ofNullable(last.janitors().get(id))
            .flatMap(status -> status.janitor().contract())
            .filter(contract -> contract.mode() == JanitorMode.REMOTE);
    return known.isPresent()
        ? CompletableFuture.completedFuture(known)
        : reads.find(id).thenApply(found -> found.flatMap(Janitor::contract));
  }
}
