package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.cell.CitusSchema;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The plans of statements in a Citus cluster, if there is one. */
@EnabledIfEnvironmentVariable(named = "HAPAX_TEST_CITUS_URL", matches = "jdbc:.+")
class CitusPlansIT {
  @Test
  @DisplayName(
      "given the node with the tables, then each statement is one task, and none is sent to another"
          + " node")
  void plans() throws SQLException {
    try (var database = TestDatabase.inCluster(System.getenv("HAPAX_TEST_CITUS_URL"))) {
      Migrations.migrate(database.dataSource());
      new CitusSchema(database.dataSource()).distribute();
      try (var connection = DriverManager.getConnection(database.urlOf(Migrations.SCHEMA))) {
        var statements =
            ShippedStatements.sent().stream()
                .filter(sent -> sent.text().contains("hapax."))
                .filter(
                    sent ->
                        sent.text()
                            .toLowerCase(Locale.ROOT)
                            .matches("(?s)(select|insert|update|delete|with).*"))
                .toList();
        assertThat(statements).hasSizeGreaterThan(150);
        assertThat(
                statements.stream()
                    .flatMap(
                        sent ->
                            problem(connection, sent.text())
                                .map(text -> sent.place() + ": " + text + "\n" + sent.text())
                                .stream()))
            .isEmpty();
      }
    }
  }

  private static Optional<String> problem(Connection connection, String sent) {
    var plan = new StringBuilder();
    try (var statement = connection.prepareStatement("EXPLAIN " + typed(sent))) {
      var parameters = statement.getParameterMetaData();
      for (var i = 1; i <= parameters.getParameterCount(); i++) {
        statement.setObject(i, value(parameters.getParameterTypeName(i)), Types.OTHER);
      }
      try (var rows = statement.executeQuery()) {
        while (rows.next()) {
          plan.append(rows.getString(1)).append('\n');
        }
      }
    } catch (SQLException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
    var text = plan.toString();
    var isOneTask = text.contains("Task Count: 1\n") && !text.contains("Distributed Subplan");
    // the rows are first made where the server is connected
    var isInsert = text.contains("INSERT/SELECT method: pull to coordinator");
    return text.contains("Citus") && !isOneTask && !isInsert ? Optional.of(text) : Optional.empty();
  }

  /** With the type that servers send, where PostgreSQL would assume another one. */
  private static String typed(String sent) {
    return sent.replace("THEN ? ELSE ?", "THEN ?::bigint ELSE ?::bigint");
  }

  /** A value that no planner takes for one which nothing equals. */
  private static String value(String type) {
    if (type.startsWith("_")) {
      return "{\"" + value(type.substring(1)) + "\"}";
    }
    return switch (type) {
      case "uuid" -> "01890000-0000-7000-8000-000000000000";
      case "tid" -> "(1,1)";
      case "timestamptz", "timestamp", "date" -> "2026-01-02";
      case "bool" -> "true";
      case "bytea" -> "\\x01";
      case "json", "jsonb" -> "1";
      case "text", "pg_snapshot" -> "10:20:"; // a text may be one of a snapshot
      default -> "1";
    };
  }
}
