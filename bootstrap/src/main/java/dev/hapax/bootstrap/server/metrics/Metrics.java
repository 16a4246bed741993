package dev.hapax.bootstrap.server.metrics;

import dev.hapax.application.run.PollRequest;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.monitoring.BacklogReads.Backlog;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.postgres.StoreLoad;
import dev.hapax.postgres.ledger.LedgerObserver;
import io.grpc.ServerInterceptor;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** What a server counts, for Prometheus to get. */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final CallMetrics calls = new CallMetrics(registry);
  private final WorkMetrics work = new WorkMetrics(registry);
  private final LedgerMetrics ledger = new LedgerMetrics(registry);

  /** Counts calls. */
  public ServerInterceptor calls() {
    return calls;
  }

  /** What is always there: the process, and which version of Hapax it runs. */
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

  /** Counts events of work. */
  public Consumer<WorkEvent> work() {
    return work;
  }

  /** Measures what this server commits. */
  public LedgerObserver ledger() {
    return ledger;
  }

  /** Measures how long a notification of a commit was under way, in nanoseconds. */
  public LongConsumer notifications() {
    return ledger::notified;
  }

  /** Shows what waits for the database. */
  public void ofLoad(Supplier<StoreLoad> load) {
    ledger.registerLoad(load);
  }

  /** Shows the backlog in the database; it is read while it is scraped, and not otherwise. */
  public void ofBacklog(Supplier<CompletableFuture<Backlog>> backlog) {
    new BacklogMetrics(backlog, System::nanoTime).register(registry);
  }

  /** Shows how many polls wait on this server, by queue. */
  public void ofPolls(Supplier<List<PollRequest>> polls) {
    new PollMetrics(polls).register(registry);
  }

  /** Whether the server would tell that it can be called. */
  public void ofHealth(BooleanSupplier serving) {
    GaugeWithCallback.builder()
        .name("hapax_serving")
        .help("1 = health is SERVING.")
        .callback(callback -> callback.call(serving.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  /** Says how late janitors are. */
  public void ofJanitors(Supplier<List<JanitorStatus>> janitors) {
    new JanitorMetrics(registry, janitors).register();
  }

  /** Lets others get them over HTTP, and whether this server is ready. */
  public MetricsEndpoint serve(HostPort address, Readiness readiness) throws IOException {
    return MetricsEndpoint.start(address, registry, readiness);
  }
}
