package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import dev.hapax.postgres.ledger.LedgerConnections;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each session keeps its plans, so one made for an empty table is used when the table is large: it
 * must find each row that was sent by an index.
 */
class WritePlansIT {
  private static final Pattern PARAMETER = Pattern.compile("\\?");
  private static final Pattern WHOLE_INDEX =
      Pattern.compile("Index (Only )?Scan using .*+(?!\\R.*Index Cond)");
  private static TestDatabase database;

  @BeforeAll
  static void migrate() {
    database = TestDatabase.create();
    Migrations.migrate(database.dataSource());
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "operation",
        "entity",
        "entity_deletion",
        "hook",
        "janitor",
        "janitor_round",
        "lifecycle",
        "limit_line",
        "limit_setting",
        "run_key",
        "run_signal",
        "run_step"
      })
  @DisplayName("given an empty table, then rows are locked, loaded and changed by an index")
  void byIndex(String table) throws Exception {
    assertByIndex(table);
    database.execute("ANALYZE hapax." + table);
    assertByIndex(table);
  }

  private void assertByIndex(String table) throws Exception {
    var address = new HikariConfig();
    address.setDataSource(database.dataSource());
    try (var pool = LedgerConnections.pool(address, 1, SessionRoles.SEPARATED);
        var connection = pool.getConnection();
        var session = connection.createStatement()) {
      session.execute("SELECT set_config('hapax.scope', 'runs', false)");
      for (var statement : statements(table)) {
        var plan = plan(session, statement);
        assertThat(plan)
            .as(statement)
            .doesNotContain("Seq Scan on", "Hash Join", "Merge Join", "Bitmap")
            .doesNotContainPattern(WHOLE_INDEX);
      }
    }
  }

  /** The golden statements that read rows of the table. */
  private static List<String> statements(String table) throws IOException {
    try (var file = WritePlansIT.class.getResourceAsStream("/sql/table/" + table + ".sql")) {
      var text = new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
      var reading =
          List.of(text.replaceAll("(?m)^-- .*$", "").split(";")).stream()
              .map(String::strip)
              .filter(statement -> !statement.isEmpty() && !statement.startsWith("insert"))
              .toList();
      assertThat(reading).hasSizeGreaterThan(1);
      return reading;
    }
  }

  private static String plan(Statement session, String statement) throws SQLException {
    var number = new int[1];
    var sent = PARAMETER.matcher(statement).replaceAll(_ -> "\\$" + ++number[0]);
    var nulls = String.join(", ", Collections.nCopies(number[0], "NULL"));
    session.execute("PREPARE sent AS " + sent);
    var plan = new ArrayList<String>();
    try (var rows = session.executeQuery("EXPLAIN EXECUTE sent (" + nulls + ")")) {
      while (rows.next()) {
        plan.add(rows.getString(1));
      }
    }
    session.execute("DEALLOCATE sent");
    return String.join("\n", plan);
  }
}
