package dev.hapax.bootstrap.kit;

import dev.hapax.bootstrap.acceptance.Deployment;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** The metrics of a server that is asked by one test alone. */
final class KitMetrics {
  private static final String LISTENS = "metrics on ";

  private final String address;

  KitMetrics(Deployment deployment) {
    var line = deployment.server().awaitError(each -> each.contains(LISTENS));
    this.address = "http://%s/metrics".formatted(line.replaceFirst(".*" + LISTENS, ""));
  }

  /** A server with metrics. */
  static Deployment deployment() throws IOException {
    return Deployment.configured("--metrics-listen=127.0.0.1:0");
  }

  /** How often a method was called. */
  long calls(String method) {
    return value("hapax_calls_total", method);
  }

  /** The sum of the samples of a metric whose labels have this value. */
  long value(String metric, String label) {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create(address)).build();
      return http.sendAsync(request, BodyHandlers.ofString())
          .join()
          .body()
          .lines()
          .filter(line -> line.startsWith(metric + "{") && line.contains("\"" + label + "\""))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
          .sum();
    }
  }
}
