package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.read.IndexScanPlan;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PurgePlanIT {

  @Test
  @DisplayName(
      "a purge reads the next pages of the table and no others, also with a plan made once")
  void pages() throws SQLException {
    try (var database = TestDatabase.create()) {
      Migrations.migrate(database.dataSource());
      var select = new PurgeStatements(Duration.ofDays(30).toNanos() / 1_000).next();
      try (var connection = database.connect();
          var statement = connection.createStatement()) {
        for (var mode : List.of("force_custom_plan", "force_generic_plan")) {
          statement.execute("SET plan_cache_mode = " + mode);
          statement.execute(SessionRoles.SEPARATED.beginMaintenance());
          assertThat(IndexScanPlan.of(connection, select, List.of("(64,0)", "(96,0)")))
              .contains("Tid Range Scan on run");
          assertThat(IndexScanPlan.of(connection, PageScan.next("hapax.run"), List.of("(64,0)")))
              .contains("Tid Range Scan on run");
        }
      }
    }
  }

  private static final String MANY_KEYS =
      """
      ALTER TABLE hapax.run_key SET (autovacuum_enabled = false);
      INSERT INTO hapax.run_key
      SELECT 'runs', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now()
      FROM generate_series(1, 20000)
      """;

  @Test
  @DisplayName(
      "a purge of keys reads the next pages and finds runs and keys by index, before and after"
          + " statistics")
  void keys() throws SQLException {
    try (var database = TestDatabase.create()) {
      Migrations.migrate(database.dataSource());
      try (var connection = database.connect()) {
        connection.setAutoCommit(false);
        for (var change : List.of("SELECT", MANY_KEYS, "ANALYZE hapax.run_key")) {
          database.execute(change);
          assertKeysGoByIndex(connection);
        }
      }
    }
  }

  private static void assertKeysGoByIndex(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(SessionRoles.SEPARATED.beginMaintenance());
    }
    PurgeStatements.planByIndex(connection);
    assertThat(plan(connection, RunKeyPurge.FORGOTTEN, "(64,0)", "(96,0)"))
        .contains("Tid Range Scan on run_key", "using run_pkey")
        .doesNotContain("Seq Scan", "Hash", "Merge");
    var ids = connection.createArrayOf("uuid", new UUID[] {new UUID(1, 1)});
    var names = connection.createArrayOf("text", new String[] {"runs"});
    assertThat(plan(connection, RunKeyPurge.REMOVE, names, ids, ids))
        .contains("using run_key_pkey")
        .doesNotContain("Seq Scan", "Hash", "Merge");
    connection.rollback();
  }

  private static String plan(Connection connection, String sql, Object... parameters)
      throws SQLException {
    var plan = new ArrayList<String>();
    try (var explain = connection.prepareStatement("EXPLAIN " + sql)) {
      for (var i = 0; i < parameters.length; i++) {
        explain.setObject(i + 1, parameters[i]);
      }
      try (var lines = explain.executeQuery()) {
        while (lines.next()) {
          plan.add(lines.getString(1));
        }
      }
    }
    return String.join("\n", plan);
  }
}
