package dev.hapax.bootstrap.server.metrics;

import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The delay of janitors, from the last check of this server; a scrape queries nothing. */
final class JanitorMetrics {
  private final PrometheusRegistry registry;
  private final Supplier<List<JanitorStatus>> janitors;

  JanitorMetrics(PrometheusRegistry registry, Supplier<List<JanitorStatus>> janitors) {
    this.registry = registry;
    this.janitors = janitors;
  }

  void register() {
    gauge(
        "hapax_janitor_lag_seconds",
        "Seconds the janitor is overdue; 0 = on schedule.",
        watched -> watched.lag().toNanos() / (double) TimeUnit.SECONDS.toNanos(1));
    gauge(
        "hapax_janitor_overdue",
        "1 = the janitor is overdue: entities may stay claimed for longer than its contract says.",
        watched -> watched.isOverdue() ? 1 : 0);
    gauge(
        "hapax_janitor_last_freed",
        "Entities freed by the last sweep.",
        watched -> watched.last().map(round -> round.freed()).orElse(0));
  }

  private void gauge(String name, String help, ToDoubleFunction<JanitorStatus> value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("workspace", "module")
        .callback(
            callback ->
                janitors.get().stream()
                    .filter(watched -> watched.janitor().contract().isPresent())
                    .forEach(
                        watched ->
                            callback.call(
                                value.applyAsDouble(watched),
                                watched.id().workspace().name(),
                                watched.id().module())))
        .register(registry);
  }
}
