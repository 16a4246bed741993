package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Strips statements of their conditions on workspaces, and runs them while all rows belong to
 * another workspace. Under row-level security they must find and change as much as in empty tables.
 */
record WorkspaceWall(TestDatabase database, String workspace) {
  private static final Pattern JOINED =
      Pattern.compile(
          "(?i)(?<![\\w.\"])[\\w.\"]*workspace\"? = (ANY \\(ARRAY\\[)?(?!excluded\\.)"
              + "[\\w.\"]*workspace\"?(?![\\w.])(\\]\\))?");

  /** The version of a row, which no row has that has changed its workspace. */
  private static final Pattern VERSION = Pattern.compile("(?i)[\\w.\"]*xmin = \\w+\\.writer");

  private static final Pattern GIVEN =
      Pattern.compile(
          "(?i)(?<![\\w.\"])[\\w.\"]*workspace\"? = (\\?(::\\w+)?|cast\\(\\? as \\w+\\))");
  private static final Pattern NO_ROWS =
      Pattern.compile("(?i)\\s*(BEGIN|COMMIT|ROLLBACK|SET|SHOW|SELECT set_config|SELECT clock_).*");

  private static final Pattern SCAN = Pattern.compile(" (Scan|Index Cond:|TID Cond:|Tid Cond:)");

  /**
   * Columns that differ from one run to the next; other databases of the cluster change snapshots.
   */
  private static final List<String> VARYING = List.of("now", "micros", "writer", "snapshot");

  private static final String TABLES =
      "SELECT tablename FROM pg_policies WHERE policyname = 'workspaces_in_scope' ORDER BY 1";

  /** A statement without its conditions on workspaces and versions; its parameters are the same. */
  static String stripped(String statement) {
    var given = GIVEN.matcher(statement).replaceAll("cast($1 as varchar) is not null");
    var joined = JOINED.matcher(given).replaceAll("true");
    return VERSION.matcher(joined).replaceAll("true");
  }

  /**
   * Verifies each statement.
   *
   * @return the statements that find or change foreign rows without the wall
   */
  List<String> verify(List<RecordedConnections.Call> calls) throws SQLException {
    var leaking = new ArrayList<String>();
    try (var connection = database.connect()) {
      connection.setAutoCommit(false);
      var tables = tables(connection);
      for (var call : calls) {
        for (var statement : call.statements()) {
          if (!NO_ROWS.matcher(statement.text()).matches()
              && verify(connection, tables, statement)) {
            leaking.add(statement.text());
          }
        }
      }
    }
    return leaking;
  }

  /**
   * Verifies that each statement is planned with the same scans and conditions of indexes as
   * without row-level security.
   */
  void verifyPlans(List<RecordedConnections.Call> calls) throws SQLException {
    try (var connection = database.connect()) {
      execute(
          connection,
          "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off");
      for (var call : calls) {
        for (var statement : call.statements()) {
          if (!NO_ROWS.matcher(statement.text()).matches()) {
            var open = scans(connection, statement);
            execute(connection, SessionRoles.SEPARATED.beginRuntime());
            assertThat(scans(connection, statement)).as(statement.text()).isEqualTo(open);
            execute(connection, "RESET ROLE");
          }
        }
      }
    }
  }

  private static List<String> scans(Connection connection, RecordedConnections.Call call)
      throws SQLException {
    try (var statement = connection.prepareStatement("EXPLAIN (COSTS OFF) " + call.text())) {
      call.bind(statement);
      return rows(statement).stream()
          .filter(line -> SCAN.matcher(line).find())
          .map(
              line ->
                  line.replaceAll("InitPlan \\d+|\\$\\d+", "InitPlan").replaceAll("[^\\w.]+", " "))
          .toList();
    }
  }

  private boolean verify(
      Connection connection, List<String> tables, RecordedConnections.Call statement)
      throws SQLException {
    try {
      for (var table : tables) {
        execute(connection, "UPDATE hapax.%s SET workspace = 'foreign'".formatted(table));
      }
      var open = result(connection, statement);
      execute(connection, SessionRoles.SEPARATED.beginRuntime());
      execute(connection, "SELECT set_config('hapax.scope', '%s', true)".formatted(workspace));
      var walled = result(connection, statement);
      execute(connection, "RESET ROLE");
      execute(connection, "TRUNCATE hapax." + String.join(", hapax.", tables));
      var empty = result(connection, statement);
      assertThat(walled).as(stripped(statement.text())).isEqualTo(empty);
      return !open.equals(empty);
    } finally {
      connection.rollback();
    }
  }

  private static List<String> tables(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      return rows(statement.executeQuery(TABLES)).stream()
          .map(row -> row.substring(1, row.length() - 1))
          .toList();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The rows, or the error; takes its changes back. */
  private static List<String> result(Connection connection, RecordedConnections.Call call)
      throws SQLException {
    var before = connection.setSavepoint();
    try (var statement = connection.prepareStatement(stripped(call.text()))) {
      call.bind(statement);
      return rows(statement);
    } catch (SQLException e) {
      assertThat(e.getSQLState()).as(call.text()).isEqualTo("HX001");
      return List.of("too few rows");
    } finally {
      connection.rollback(before);
    }
  }

  private static List<String> rows(PreparedStatement statement) throws SQLException {
    return statement.execute()
        ? rows(statement.getResultSet())
        : List.of(statement.getUpdateCount() + " rows");
  }

  private static List<String> rows(ResultSet found) throws SQLException {
    var columns = found.getMetaData();
    var rows = new ArrayList<String>();
    while (found.next()) {
      var row = new ArrayList<String>();
      for (var i = 1; i <= columns.getColumnCount(); i++) {
        row.add(VARYING.contains(columns.getColumnName(i)) ? "" : found.getString(i));
      }
      rows.add(row.toString());
    }
    return rows;
  }
}
