package dev.hapax.bootstrap.metrics;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.domain.janitor.JanitorReads.Watched;
import dev.hapax.domain.ledger.Ledger;
import io.grpc.ServerInterceptor;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What a server counts, for Prometheus to get. */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final CallMetrics calls = new CallMetrics(registry);

  /** Counts calls. */
  public ServerInterceptor calls() {
    return calls;
  }

  /** Counts what this server commits. */
  public void ofCommits(Ledger ledger) {
    var commits =
        Counter.builder()
            .name("hapax_commits_total")
            .help("Transactions of this server that changed records.")
            .register(registry);
    var records =
        Counter.builder()
            .name("hapax_records_total")
            .help("Records that they changed.")
            .register(registry);
    ledger.onCommit(
        keys -> {
          commits.inc();
          records.inc(keys.size());
        });
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
  public void ofJanitors(Supplier<List<Watched>> janitors) {
    new JanitorMetrics(registry, janitors).register();
  }

  /** Lets others get them over HTTP, and whether this server is ready. */
  public MetricsEndpoint serve(HostPort address, Readiness readiness) throws IOException {
    return MetricsEndpoint.start(address, registry, readiness);
  }
}
