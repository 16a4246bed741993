package dev.hapax.bootstrap.server.metrics;

import dev.hapax.grpc.quota.LimitObserver;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** The connections of callers, and what the limits refuse. */
final class LimitMetrics implements LimitObserver {
  private final TopLabels workspaces = new TopLabels();
  private final Counter refused;
  private final Counter closed;
  private final Counter limited;
  private final Counter unauthenticated;

  LimitMetrics(PrometheusRegistry registry, IntSupplier connections, LongSupplier unreadBytes) {
    GaugeWithCallback.builder()
        .name("hapax_connections")
        .help("Open connections of callers, those in their handshake included.")
        .callback(callback -> callback.call(connections.getAsInt()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("hapax_unread_response_bytes")
        .help("Bytes of responses that callers have not read yet.")
        .callback(callback -> callback.call((double) unreadBytes.getAsLong()))
        .register(registry);
    refused =
        Counter.builder()
            .name("hapax_connections_refused_total")
            .help("Connections that were refused, by the limit: total or address.")
            .labelNames("limit")
            .register(registry);
    closed =
        Counter.builder()
            .name("hapax_connections_closed_total")
            .help(
                "Connections that the server closed because of their caller: unread, cancels, unused"
                    + " or unproven without a credential while places are scarce, refused too often"
                    + " without a credential, or request: a health check that is too large or never"
                    + " complete.")
            .labelNames("reason")
            .register(registry);
    limited =
        Counter.builder()
            .name("hapax_calls_limited_total")
            .help("Calls that were refused because of a limit of their workspace or caller.")
            .labelNames("workspace", "limit")
            .register(registry);
    unauthenticated =
        Counter.builder()
            .name("hapax_unauthenticated_total")
            .help(
                "Calls that were refused because of their credentials: missing, api_key,"
                    + " certificate, token, signature, or unverified after too many wrong signatures of an address.")
            .labelNames("reason")
            .register(registry);
  }

  @Override
  public void refusedConnection(String limit) {
    refused.labelValues(limit).inc();
  }

  @Override
  public void closedConnection(String reason) {
    closed.labelValues(reason).inc();
  }

  @Override
  public void refusedCall(String workspace, String limit) {
    limited.labelValues(workspaces.of(workspace, limit)).inc();
  }

  @Override
  public void unauthenticated(String reason) {
    unauthenticated.labelValues(reason).inc();
  }
}
