package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
          var plan = new ArrayList<String>();
          IndexScan.query(
              ReadSession.wide(connection),
              "EXPLAIN " + select,
              List.of("(64,0)", "(96,0)"),
              row -> plan.add(row.getString(1)));
          assertThat(plan).anyMatch(line -> line.contains("Tid Range Scan on run"));
        }
      }
    }
  }
}
