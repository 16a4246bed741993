package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A cell in a Citus cluster, which has at least two nodes beside its coordinator. */
@EnabledIfEnvironmentVariable(named = CellDatabases.CLUSTER, matches = "jdbc:.+")
class CitusCellIT {
  private static final int PATIENCE_SECONDS = 60;

  private static CellDatabases cells;
  private static Deployment deployment;

  @BeforeAll
  static void start() {
    cells = CellDatabases.inCluster();
    cells.placeAll();
    deployment = Deployment.of(cells);
    var other = deployment.add();
    var _ = other.awaitReady();
    cells.awaitReports();
  }

  @AfterAll
  static void close() {
    deployment.close();
  }

  /** As each batch begins. */
  private static void hold(Connection session) throws SQLException {
    try (var statement = session.createStatement()) {
      statement.execute("SELECT hapax.hold_schema()");
    }
  }

  @Test
  @DisplayName(
      "given a workspace in use, when Citus moves the tables to another node and back, then nothing"
          + " is lost or done twice")
  void moves() throws Exception {
    try (var moving = new MovingWorkspace(deployment.target())) {
      moving.use();
      var ended = moving.awaitReady();
      for (var i = 0; i < 2; i++) {
        var before = cells.tables();
        cells.moveTables();
        assertThat(cells.tables()).isNotEqualTo(before);
        var count = moving.completed();
        Condition.await("it is used on the other node", () -> moving.completed() > count + 50);
      }
      moving.requireWhole();
      assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getId()).isNotEmpty();
      assertThat(moving.longest()).isLessThan(Duration.ofSeconds(20));
    }
  }

  @Test
  @DisplayName("given a batch that has begun, then the tables stay on its node until its end")
  void held() throws Exception {
    try (var batch = DriverManager.getConnection(cells.tables())) {
      batch.setAutoCommit(false);
      hold(batch);
      var before = cells.tables();
      var servers = servers();
      var move = CompletableFuture.runAsync(cells::moveTables, Thread::startVirtualThread);
      Condition.await(
          "the move waits for the batch",
          () -> count(before, "pg_locks WHERE locktype = 'advisory' AND NOT granted") > 0);
      assertThat(move).isNotDone();
      assertThat(cells.tables()).isEqualTo(before);
      batch.commit();
      move.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThatThrownBy(() -> hold(batch)).hasMessageContaining("are on another node");
      // without a batch, by their heartbeats
      Condition.await(
          "both servers have opened the cell again",
          () -> servers().stream().filter(each -> !servers.contains(each)).count() == 2);
    }
  }

  /** The registrations of servers in the cell. */
  private static Set<String> servers() {
    return Set.of(
        cells
            .second()
            .query("SELECT coalesce(string_agg(id::text, ','), '') FROM hapax.live_node")
            .split(","));
  }

  private static int count(String url, String rows) {
    try (var session = DriverManager.getConnection(url);
        var statement = session.createStatement();
        var found = statement.executeQuery("SELECT count(*) FROM " + rows)) {
      found.next();
      return found.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(rows, e);
    }
  }

  @Test
  @DisplayName("given SQL, then it can get no grant, since no node may post intents")
  void sql() {
    try (var runs = RunCaller.to(deployment.target())) {
      assertThatThrownBy(() -> SqlCaller.to(cells.second(), runs))
          .hasStackTraceContaining("has no SQL functions");
    }
  }
}
