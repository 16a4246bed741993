package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Incidents that {@link AlertsIT} does not provoke: the series that their alerts read. */
class IncidentMetricsIT {
  private static boolean has(Probe probe, String sample, double least) {
    return probe
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .anyMatch(line -> Double.parseDouble(line.substring(sample.length())) >= least);
  }

  @Test
  @DisplayName(
      "given a worker that drops its tasks, then its leases are counted, and the log names it"
          + " [operators-S6]")
  void droppedTasks() {
    try (var deployment = Deployment.configured("--metrics-listen=127.0.0.1:0");
        var runs = RunCaller.to(deployment.target())) {
      var probe = Probe.of(deployment.server());
      runs.define("order", RunCaller.shortTask("charge"));
      var _ = runs.started("order");
      assertThat(runs.poll("encoder-3").hasClaim()).isTrue();

      var sample = "hapax_leases_expired_total{of=\"task\",workspace=\"" + runs.workspace() + "\"}";
      Condition.await("the lease is counted", () -> has(probe, sample, 1));
      var _ =
          deployment
              .server()
              .awaitError(
                  line -> line.contains("lease expired: run") && line.contains("worker encoder-3"));
    }
  }

  @Test
  @DisplayName(
      "given an operation whose holder died, when a minute has passed, then it is counted as abandoned"
          + " [operators-S4]")
  void abandoned() {
    try (var deployment = Deployment.configured("--metrics-listen=127.0.0.1:0");
        var caller = Caller.to(deployment.target())) {
      var _ = caller.acquireShortly("pay");
      deployment
          .database()
          .execute("UPDATE hapax.operation SET until = until - interval '2 minutes'");

      var probe = Probe.of(deployment.server());
      var sample = "hapax_operations_abandoned{workspace=\"" + caller.workspace() + "\"}";
      Condition.await("it is counted", () -> has(probe, sample, 1));
    }
  }

  @Test
  @DisplayName(
      "given a move that has stopped while the workspace is paused, then its step is exported"
          + " [operators-S6]")
  void interruptedMove() {
    var cells = CellDatabases.create();
    try (var deployment = Deployment.of(cells, "--metrics-listen=127.0.0.1:0")) {
      cells
          .first()
          .execute(
              "INSERT INTO hapax.move VALUES ('shop', 'default', 'second', 'copy', 'pausing',"
                  + " gen_random_uuid())");

      var probe = Probe.of(deployment.server());
      Condition.await(
          "the move is exported",
          () -> has(probe, "hapax_cell_moves{step=\"pausing\",workspace=\"shop\"}", 1));
    }
  }

  @Test
  @DisplayName(
      "given the built-in PostgreSQL, then its size and the free space of its disk are exported"
          + " [operators-S6]")
  void space(@TempDir Path folder) {
    try (var server =
        HapaxProcess.start(
            "serve",
            "--listen=127.0.0.1:0",
            "--console-listen=off",
            "--metrics-listen=127.0.0.1:0",
            "--data-dir=" + folder.resolve("data"))) {
      assertThat(server.awaitReady()).isNotEmpty();
      var probe = Probe.of(server);
      Condition.await("the size is read", () -> has(probe, "hapax_database_bytes", 1_000_000));
      assertThat(probe.metric("hapax_disk_free_bytes"))
          .isEqualTo((double) folder.toFile().getUsableSpace(), within(1e9));
      assertThat(probe.metric("hapax_pool_max{pool=\"ledger\"}"))
          .isGreaterThanOrEqualTo(probe.metric("hapax_pool_active{pool=\"ledger\"}"));
    }
  }
}
