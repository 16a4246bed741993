package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.Programs;
import dev.hapax.bootstrap.process.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Prometheus of this machine that scrapes a server twice a second. */
final class Prometheus implements AutoCloseable {
  private static final String CONFIG =
      """
      global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
      rule_files: [rules.yml]
      scrape_configs:
        - job_name: hapax
          static_configs: [{targets: [SERVER]}]
      """;

  private final HttpClient http = HttpClient.newHttpClient();
  private final HapaxProcess process;
  private final URI address;

  private Prometheus(HapaxProcess process, URI address) {
    this.process = process;
    this.address = address;
  }

  /** Starts it with these rules; skips the test where there is none. */
  static Prometheus start(Path folder, String rules, Probe server) throws IOException {
    var program = Programs.find("prometheus");
    Requirement.PROMETHEUS.check(
        program.isPresent(),
        "prometheus is not on the PATH, and the test of the alerts needs it (Debian: apt-get install"
            + " prometheus)");
    var port = FreePort.next();
    Files.writeString(folder.resolve("rules.yml"), rules);
    Files.writeString(
        folder.resolve("prometheus.yml"),
        CONFIG.replace("SERVER", server.address().getAuthority()));
    var process =
        HapaxProcess.startProgram(
            folder,
            program.orElseThrow().toString(),
            "--config.file=prometheus.yml",
            "--storage.tsdb.path=data",
            "--web.listen-address=127.0.0.1:" + port);
    var prometheus = new Prometheus(process, URI.create("http://127.0.0.1:" + port));
    Condition.await("Prometheus is ready", prometheus::isReady);
    return prometheus;
  }

  private boolean isReady() {
    try {
      return get("/-/ready").startsWith("Prometheus Server is Ready");
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof ConnectException && process.isAlive()) {
        return false;
      }
      throw new AssertionError(process.errors().toString(), e);
    }
  }

  /** The alerts that fire. */
  Set<String> firing() {
    return list(data("/api/v1/alerts"), "alerts").stream()
        .filter(alert -> text(alert, "state").equals("firing"))
        .map(alert -> text(alert.getFieldsOrThrow("labels").getStructValue(), "alertname"))
        .collect(Collectors.toSet());
  }

  /** Waits until all rules are evaluated on what was scraped until now. */
  void awaitEvaluation() {
    var now = Instant.now();
    Condition.await(
        "the rules are evaluated",
        () ->
            list(data("/api/v1/rules"), "groups").stream()
                .map(group -> Instant.parse(text(group, "lastEvaluation")))
                .allMatch(now::isBefore));
  }

  /** The errors of rules. */
  List<String> errors() {
    return list(data("/api/v1/rules"), "groups").stream()
        .flatMap(group -> list(group, "rules").stream())
        .filter(rule -> !text(rule, "health").equals("ok"))
        .map(Struct::toString)
        .toList();
  }

  /** The series of an expression now; fails if it is not valid. */
  List<Struct> query(String expression) {
    return list(
        data("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)),
        "result");
  }

  private Struct data(String path) {
    var body = get(path);
    var answer = Struct.newBuilder();
    try {
      JsonFormat.parser().merge(body, answer);
    } catch (IOException e) {
      throw new UncheckedIOException(body, e);
    }
    if (!text(answer.build(), "status").equals("success")) {
      throw new AssertionError(path + ": " + body);
    }
    return answer.getFieldsOrThrow("data").getStructValue();
  }

  private String get(String path) {
    try {
      return http.send(
              HttpRequest.newBuilder(address.resolve(path)).build(), BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static List<Struct> list(Struct in, String name) {
    return Stream.of(in.getFieldsOrThrow(name).getListValue())
        .flatMap(list -> list.getValuesList().stream())
        .map(Value::getStructValue)
        .toList();
  }

  private static String text(Struct in, String name) {
    return in.getFieldsOrThrow(name).getStringValue();
  }

  @Override
  public void close() {
    process.close();
    http.close();
  }
}
