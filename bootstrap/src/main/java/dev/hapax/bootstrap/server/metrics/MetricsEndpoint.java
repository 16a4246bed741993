package dev.hapax.bootstrap.server.metrics;

import com.google.protobuf.ByteString;
import dev.hapax.bootstrap.server.metrics.Readiness.Check;
import dev.hapax.http.WebPages;
import dev.hapax.http.WebRequest;
import dev.hapax.http.WebResponse;
import io.prometheus.metrics.exporter.common.PrometheusScrapeHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code /metrics}, {@code /livez} and {@code /readyz} over HTTP; 404 for any other path. */
final class MetricsEndpoint implements WebPages {
  private static final String KNOWN = "available: /metrics, /livez and /readyz";

  private final PrometheusScrapeHandler metrics;
  private final Readiness readiness;

  MetricsEndpoint(PrometheusRegistry registry, Readiness readiness) {
    this.metrics = new PrometheusScrapeHandler(registry);
    this.readiness = readiness;
  }

  /** Nothing that is read here has a body. */
  @Override
  public int maxBody(WebRequest head) {
    return 0;
  }

  @Override
  public WebResponse answer(WebRequest request) {
    return switch (String.valueOf(request.address().getPath())) {
      case "/metrics" -> scrape(request);
      // a restart does not help against an unavailable database
      case "/livez" -> text(HttpURLConnection.HTTP_OK, "ok");
      case "/readyz" -> ready();
      default -> refuse(HttpURLConnection.HTTP_NOT_FOUND, "not found; " + KNOWN);
    };
  }

  @Override
  public WebResponse refuse(int status, String problem) {
    return text(status, problem);
  }

  private WebResponse scrape(WebRequest request) {
    var scrape = new Scrape(request);
    try {
      metrics.handleRequest(scrape);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return scrape.response();
  }

  private WebResponse ready() {
    var checks = readiness.checks();
    return text(
        checks.stream().filter(Check::isRequired).allMatch(Check::holds)
            ? HttpURLConnection.HTTP_OK
            : HttpURLConnection.HTTP_UNAVAILABLE,
        checks.stream().map(Check::toString).collect(Collectors.joining("\n")));
  }

  private static WebResponse text(int status, String text) {
    return new WebResponse(
        status,
        Map.of("Content-Type", "text/plain; charset=utf-8"),
        ByteString.copyFromUtf8(text + "\n"));
  }
}
