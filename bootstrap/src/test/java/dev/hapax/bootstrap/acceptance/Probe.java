package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** A probe of a server with {@code --metrics-listen}, as a load balancer sends it. */
record Probe(URI address) {
  private static final String METRICS = "metrics on ";

  /** The answer to a probe. */
  record Answer(int status, String body) {}

  /** Reads the address from the log. */
  static Probe of(HapaxProcess server) {
    var line = server.awaitError(each -> each.contains(METRICS));
    var address = line.substring(line.indexOf(METRICS) + METRICS.length());
    return new Probe(URI.create("http://" + address));
  }

  /**
   * The value of a sample.
   *
   * @param sample its name, with its labels as they are written
   */
  double metric(String sample) {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length())))
        .findFirst()
        .orElseThrow();
  }

  Answer get(String path) {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(address.resolve(path)).build();
      var response = http.send(request, BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
