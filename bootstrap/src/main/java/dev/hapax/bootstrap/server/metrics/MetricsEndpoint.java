package dev.hapax.bootstrap.server.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.server.metrics.Readiness.Check;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** {@code /metrics}, {@code /livez} and {@code /readyz} over HTTP; 404 for any other path. */
public final class MetricsEndpoint implements AutoCloseable {
  private static final String KNOWN = "available: /metrics, /livez and /readyz";

  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpHandler metrics;
  private final Readiness readiness;

  private MetricsEndpoint(HttpServer http, PrometheusRegistry registry, Readiness readiness) {
    this.http = http;
    this.metrics = new MetricsHandler(registry);
    this.readiness = readiness;
    http.setExecutor(threads);
    http.createContext("/", this::handle);
  }

  static MetricsEndpoint start(HostPort address, PrometheusRegistry registry, Readiness readiness)
      throws IOException {
    var http = HttpServer.create(address.socketAddress(), 0);
    var endpoint = new MetricsEndpoint(http, registry, readiness);
    http.start();
    return endpoint;
  }

  public int getPort() {
    return http.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    var path = exchange.getRequestURI().getPath();
    switch (path) {
      case "/metrics" -> metrics.handle(exchange);
      // a restart does not help against an unavailable database
      case "/livez" -> answer(exchange, HttpURLConnection.HTTP_OK, "ok");
      case "/readyz" -> ready(exchange);
      default -> answer(exchange, HttpURLConnection.HTTP_NOT_FOUND, "not found; " + KNOWN);
    }
  }

  private void ready(HttpExchange exchange) throws IOException {
    var checks = readiness.checks();
    answer(
        exchange,
        checks.stream().allMatch(Check::holds)
            ? HttpURLConnection.HTTP_OK
            : HttpURLConnection.HTTP_UNAVAILABLE,
        checks.stream().map(Check::toString).collect(Collectors.joining("\n")));
  }

  private static void answer(HttpExchange exchange, int code, String text) throws IOException {
    var body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
      if ("HEAD".equals(exchange.getRequestMethod())) {
        exchange.sendResponseHeaders(code, -1);
      } else {
        exchange.sendResponseHeaders(code, body.length);
        exchange.getResponseBody().write(body);
      }
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
