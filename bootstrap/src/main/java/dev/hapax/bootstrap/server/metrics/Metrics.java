package dev.hapax.bootstrap.server.metrics;

import dev.hapax.application.run.PollRequest;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.monitoring.BacklogReads.Backlog;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.tls.CertificateStatus;
import dev.hapax.http.WebPages;
import dev.hapax.postgres.StoreLoad;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.LedgerObserver;
import io.grpc.ServerInterceptor;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The Prometheus metrics of a server. */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final CallMetrics calls = new CallMetrics(registry);
  private final WorkMetrics work = new WorkMetrics(registry);
  private final LedgerMetrics ledger = new LedgerMetrics(registry);

  /** Returns the interceptor that counts calls. */
  public ServerInterceptor calls() {
    return calls;
  }

  /** Registers the metrics of the process and its version. */
  public Metrics() {
    new JvmMetrics(registry).register();
    Info.builder()
        .name("hapax_build_info")
        .help("1 for the version of this server.")
        .labelNames("version", "java")
        .register(registry)
        .addLabelValues(
            Optional.ofNullable(Metrics.class.getPackage().getImplementationVersion())
                .orElse("development"),
            Runtime.version().toString());
  }

  /** Returns the counter of work events. */
  public Consumer<WorkEvent> work() {
    return work;
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

  /** Registers the number of polls that wait on this server, by queue. */
  public void ofPolls(Supplier<List<PollRequest>> polls) {
    new PollMetrics(polls).register(registry);
  }

  /** Whether the server would tell that it can be called. */
  public void ofHealth(BooleanSupplier serving) {
    GaugeWithCallback.builder()
        .name("hapax_serving")
        .help("1 = the health service reports SERVING.")
        .callback(callback -> callback.call(serving.getAsBoolean() ? 1 : 0))
        .register(registry);
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

  /** Registers the connections of callers and returns the observer of what limits refuse. */
  public LimitObserver ofCallers(IntSupplier connections, LongSupplier unreadBytes) {
    return new LimitMetrics(registry, connections, unreadBytes);
  }

  /** Registers the expiry and the reloads of certificates. */
  public void ofCertificates(Supplier<List<CertificateStatus>> statuses) {
    CertificateMetrics.register(registry, statuses);
  }

  /** Registers when the keys of each token issuer were last read. */
  public void ofTokenIssuers(Supplier<Map<String, Instant>> keysRead) {
    GaugeWithCallback.builder()
        .name("hapax_token_keys_read_seconds")
        .help(
            "When the keys of this token issuer were last read, in seconds since 1970; 0 = never.")
        .labelNames("issuer")
        .callback(
            callback ->
                keysRead
                    .get()
                    .forEach((issuer, at) -> callback.call((double) at.getEpochSecond(), issuer)))
        .register(registry);
  }

  /** Registers when the API keys were last read. */
  public void ofApiKeys(Supplier<Instant> readAt) {
    GaugeWithCallback.builder()
        .name("hapax_api_keys_read_seconds")
        .help("When changes of API keys were last read, in seconds since 1970; 0 = never.")
        .callback(callback -> callback.call((double) readAt.get().getEpochSecond()))
        .register(registry);
  }

  /** Returns the metrics and the readiness as pages. */
  public WebPages pages(Readiness readiness) {
    return new MetricsEndpoint(registry, readiness);
  }
}
