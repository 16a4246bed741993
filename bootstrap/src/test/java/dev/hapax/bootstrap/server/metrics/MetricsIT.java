package dev.hapax.bootstrap.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MetricsIT {
  private static final String ALTER =
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I %s', current_database()); END $$";

  private static Server serve(TestDatabase database, int metricsPort) throws Exception {
    return Server.start(
        ConfigReader.read(
            Map.of(
                "listen",
                "127.0.0.1:0",
                "metrics-listen",
                "127.0.0.1:" + metricsPort,
                "database-url",
                database.url(),
                "allow-unsafe-database",
                "true",
                "drain",
                "1s"),
            Map.of(),
            Optional.empty()));
  }

  @Test
  @DisplayName("a server tells its metrics while it serves, and a port that is taken")
  void serves() throws Exception {
    var port = FreePort.next();
    try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        var database = TestDatabase.create()) {
      assertThatThrownBy(() -> serve(database, port).close())
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("cannot listen on 127.0.0.1:" + port)
          .hasMessageContaining("--metrics-listen sets another port");
    }
    try (var database = TestDatabase.create();
        var server = serve(database, port);
        var http = HttpClient.newHttpClient()) {
      assertThat(server.address().port()).isPositive();
      var address = URI.create(String.format(Locale.ROOT, "http://127.0.0.1:%d/metrics", port));
      var told = http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
      assertThat(told.body()).contains("hapax_serving 1.0\n", "hapax_commits_total ");
      assertThat(told.body())
          .contains("hapax_pool_waiting{pool=\"reads\"} ", "jvm_threads_current ");
      assertThat(told.body()).contains("hapax_result_partitions_ahead 2.0\n");
      assertThat(
              told.body()
                  .lines()
                  .filter(line -> line.startsWith("hapax_loop_success_age_seconds{loop="))
                  .map(line -> line.split("\"", -1)[1]))
          .as("without authentication")
          .containsExactlyInAnyOrder(
              "certificates",
              "command-timeouts",
              "due-run-search",
              "due-runs",
              "health",
              "housekeeping",
              "intents",
              "janitor-health",
              "janitors",
              "line-search",
              "notifications",
              "operation-sweep",
              "ready-task-search",
              "result-partitions");
      // the first scrape has it read
      await(http, address, "hapax_timers_late 0.0\n");

      assertThat(get(http, port, "/livez").body()).isEqualTo("ok\n");
      var ready = get(http, port, "/readyz");
      assertThat(ready.statusCode()).isEqualTo(200);
      assertThat(ready.body())
          .isEqualTo(
              "database: ok\nschema: ok\nregistration: ok\ncommitters: ok\nloops: ok\nserving: ok\n");
      for (var path : List.of("/", "/metricsx", "/metrics/", "/readyz/x", "/-/healthy")) {
        assertThat(get(http, port, path).statusCode()).as(path).isEqualTo(404);
      }

      database.allowConnections(false);
      database.disconnectAll();
      var away = get(http, port, "/readyz");
      while (away.statusCode() == 200) {
        away = get(http, port, "/readyz");
      }
      assertThat(away.statusCode()).isEqualTo(503);
      assertThat(away.body()).contains("database: does not answer\n", "committers: ");
      assertThat(get(http, port, "/livez").statusCode()).isEqualTo(200);

      database.allowConnections(true);
      var since = System.nanoTime();
      while (get(http, port, "/readyz").statusCode() != 200) {
        assertThat(get(http, port, "/livez").statusCode()).isEqualTo(200);
        assertThat(System.nanoTime() - since)
            .as("the server is not ready again")
            .isLessThan(TimeUnit.SECONDS.toNanos(30));
      }
      System.out.printf(
          "ready %d ms after the end of the outage%n",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since));
    }
  }

  @Test
  @DisplayName("given a read-only database, then the server is not ready until it is writable")
  void readOnly() throws Exception {
    var port = FreePort.next();
    var metrics = URI.create(String.format(Locale.ROOT, "http://127.0.0.1:%d/metrics", port));
    var readyz = URI.create(String.format(Locale.ROOT, "http://127.0.0.1:%d/readyz", port));
    try (var database = TestDatabase.create();
        var server = serve(database, port);
        var http = HttpClient.newHttpClient()) {
      assertThat(server.address().port()).isPositive();
      await(http, readyz, "database: ok\n");

      database.execute(ALTER.formatted("SET default_transaction_read_only = on"));
      database.killConnections();
      await(http, readyz, "database: is read-only\nschema: ok\n");
      assertThat(get(http, port, "/readyz").statusCode()).isEqualTo(503);
      await(http, metrics, "hapax_serving 0.0\n");

      database.execute(
          "BEGIN READ WRITE; "
              + ALTER.formatted("RESET default_transaction_read_only")
              + "; COMMIT");
      database.killConnections();
      await(http, readyz, "database: ok\n");
      await(http, metrics, "hapax_serving 1.0\n");
    }
  }

  private static void await(HttpClient http, URI address, String line) throws Exception {
    var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
        .body()
        .contains(line)) {
      assertThat(System.nanoTime()).as("within 30 s: %s", line).isLessThan(until);
    }
  }

  private static HttpResponse<String> get(HttpClient http, int port, String path) throws Exception {
    var address = URI.create("http://127.0.0.1:" + port + path);
    return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }
}
