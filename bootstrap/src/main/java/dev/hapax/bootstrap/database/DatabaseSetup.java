package dev.hapax.bootstrap.database;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * How a database is reached and stored: what Hapax cannot work with. Nothing else shows it, since
 * statements succeed.
 */
public final class DatabaseSetup {
  /** A pooler may have several sessions of the database. */
  private static final int PROBES = 3;

  private static final String DISTRIBUTED =
      """
      SELECT string_agg(logicalrelid::text, ', ' ORDER BY logicalrelid::text)
      FROM pg_catalog.pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
      WHERE c.relnamespace = to_regnamespace('hapax')""";

  private DatabaseSetup() {}

  /** Checks the database; opens several connections. */
  public static List<DatabaseFinding> of(DataSource database) throws SQLException {
    return of(database, false);
  }

  /**
   * Checks the database of a cell; opens several connections.
   *
   * @param isCitus whether it is the node of a Citus cluster that should have the tables
   */
  public static List<DatabaseFinding> of(DataSource database, boolean isCitus) throws SQLException {
    return List.of(sessions(database), tables(database, isCitus));
  }

  /**
   * Requires what {@link #of} checks.
   *
   * @param target names the database in the message
   */
  public static void require(DataSource database, JdbcTarget target)
      throws SQLException, ConfigurationException {
    var problems =
        of(database).stream()
            .filter(finding -> finding.level() == Level.FAIL)
            .map(DatabaseFinding::text)
            .collect(Collectors.joining("; "));
    if (!problems.isEmpty()) {
      throw new ConfigurationException(
          List.of(
              "%s: cannot use %s: %s".formatted(Settings.DATABASE_URL.flag(), target, problems)));
    }
  }

  /** A setting of a session that was closed must not be in the next one. */
  private static DatabaseFinding sessions(DataSource database) throws SQLException {
    var before = "";
    for (var probe = 0; probe < PROBES; probe++) {
      try (var connection = database.getConnection()) {
        var found = text(connection, "SELECT current_setting('hapax.probe', true)");
        if (!before.isEmpty() && before.equals(found)) {
          return DatabaseFinding.fail(
              "sessions",
              "a pooler in transaction mode gives the session of one connection to another: use its session mode, or the address of PostgreSQL");
        }
        before = UUID.randomUUID().toString();
        text(connection, "SELECT set_config('hapax.probe', '%s', false)".formatted(before));
      }
    }
    return DatabaseFinding.ok("sessions", "each connection has its own");
  }

  private static DatabaseFinding tables(DataSource database, boolean isCitus) throws SQLException {
    try (var connection = database.getConnection()) {
      var tables =
          text(connection, "SELECT to_regclass('pg_catalog.pg_dist_partition')").isEmpty()
              ? ""
              : text(connection, DISTRIBUTED);
      if (isCitus) {
        return tables.isEmpty()
            ? DatabaseFinding.fail(
                "tables", "Citus does not distribute them yet; run `hapax cell add` again")
            : DatabaseFinding.ok("tables", "on one node of a Citus cluster");
      }
      return tables.isEmpty()
          ? DatabaseFinding.ok("tables", "on one PostgreSQL")
          : DatabaseFinding.fail(
              "tables",
              "not supported: tables of Hapax that Citus distributes (%s), since Hapax would lose changes without an error: use a database of one PostgreSQL, or the cluster as a cell (--cell NAME=citus:JDBC_URL)"
                  .formatted(tables));
    }
  }

  /** The text that a query returns; empty = null. */
  static String text(Connection connection, String query) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      rows.next();
      var text = rows.getString(1);
      return text == null ? "" : text;
    }
  }
}
