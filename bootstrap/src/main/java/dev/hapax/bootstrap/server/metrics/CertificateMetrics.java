package dev.hapax.bootstrap.server.metrics;

import dev.hapax.grpc.tls.CertificateStatus;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Supplier;

/** The certificates in use, as of their last poll; a scrape reads no file. */
final class CertificateMetrics {
  private CertificateMetrics() {}

  static void register(PrometheusRegistry registry, Supplier<List<CertificateStatus>> statuses) {
    GaugeWithCallback.builder()
        .name("hapax_certificate_expires_timestamp_seconds")
        .help("When the first certificate of this use expires, in seconds since 1970.")
        .labelNames("use")
        .callback(
            callback ->
                statuses
                    .get()
                    .forEach(
                        status ->
                            callback.call(
                                (double) status.expires().getEpochSecond(), status.use().label())))
        .register(registry);
    CounterWithCallback.builder()
        .name("hapax_certificate_reloads_total")
        .help("Changed files of certificates that were loaded, or rejected as unusable.")
        .labelNames("use", "outcome")
        .callback(
            callback ->
                statuses
                    .get()
                    .forEach(
                        status -> {
                          callback.call((double) status.reloads(), status.use().label(), "loaded");
                          callback.call(
                              (double) status.rejections(), status.use().label(), "rejected");
                        }))
        .register(registry);
  }
}
