package dev.hapax.bootstrap.server.metrics;

import dev.hapax.application.run.PollRequest;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.monitoring.BacklogReads.Backlog;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.postgres.StoreLoad;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.LedgerObserver;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The Prometheus metrics of the store of one cell, and of the work on it. */
public final class StoreMetrics {
  private final PrometheusRegistry registry;
  private final LedgerMetrics ledger;

  StoreMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    this.ledger = new LedgerMetrics(registry);
  }

  /** Returns the observer of commits. */
  public LedgerObserver ledger() {
    return ledger;
  }

  /** Returns the observer of the delay of commit notifications, in nanoseconds. */
  public LongConsumer notifications() {
    return ledger::notified;
  }

  /** Registers the queues in front of the database. */
  public void ofLoad(Supplier<StoreLoad> load) {
    ledger.registerLoad(load);
  }

  /** Registers the backlog of the database, which is read only while Prometheus scrapes. */
  public void ofBacklog(Supplier<CompletableFuture<Backlog>> backlog) {
    new BacklogMetrics(backlog, System::nanoTime).register(registry);
  }

  /** Registers the size of the database, which is read every five minutes while it is scraped. */
  public void ofDatabaseSize(Supplier<CompletableFuture<Long>> bytes) {
    var reading =
        new CachedReading<>(bytes, Duration.ofMinutes(5), Duration.ofMinutes(15), System::nanoTime);
    GaugeWithCallback.builder()
        .name("hapax_database_bytes")
        .help("Size of the database, read every five minutes.")
        .callback(callback -> reading.latest().ifPresent(callback::call))
        .register(registry);
  }

  /** Registers the number of polls that wait on this server, by queue. */
  public void ofPolls(Supplier<List<PollRequest>> polls) {
    new PollMetrics(polls).register(registry);
  }

  /** Registers the age of this server's registration in the database. */
  public void ofRegistration(Supplier<Duration> age) {
    GaugeWithCallback.builder()
        .name("hapax_registration_age_seconds")
        .help(
            "Time since the registration of this server was renewed; from 60 on it counts as dead.")
        .callback(callback -> callback.call(age.get().toMillis() / 1000.0))
        .register(registry);
  }

  /** Registers when each background loop last succeeded. */
  public void ofLoops(Supplier<List<Loop>> loops) {
    GaugeWithCallback.builder()
        .name("hapax_loop_success_age_seconds")
        .help("Time since this background loop of the server last succeeded.")
        .labelNames("loop")
        .callback(
            callback ->
                loops
                    .get()
                    .forEach(
                        loop ->
                            callback.call(loop.sinceSuccess().toMillis() / 1000.0, loop.name())))
        .register(registry);
  }

  /** Registers what this server has seen of the database's clock and timeline. */
  public void ofDatabase(DatabaseClock clock, IntSupplier timeline) {
    GaugeWithCallback.builder()
        .name("hapax_database_clock_offset_seconds")
        .help("How far the database's clock is ahead of this server's; negative = behind.")
        .callback(callback -> callback.call(clock.offset().toMillis() / 1000.0))
        .register(registry);
    CounterWithCallback.builder()
        .name("hapax_database_clock_jumps_total")
        .help("Jumps of the database's clock by more than a second, forward or back.")
        .callback(callback -> callback.call((double) clock.jumps()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("hapax_database_timeline")
        .help("The timeline of the database, which rises with each promotion; 0 = hidden.")
        .callback(callback -> callback.call(timeline.getAsInt()))
        .register(registry);
  }

  /** Registers the delay of janitors. */
  public void ofJanitors(Supplier<List<JanitorStatus>> janitors) {
    new JanitorMetrics(registry, janitors).register();
  }
}
