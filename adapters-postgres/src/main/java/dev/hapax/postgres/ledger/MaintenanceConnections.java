package dev.hapax.postgres.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Connections of background work, which fails and is retried rather than waits. Its locks must not
 * hold up calls, and a lock that another node never releases must not hold up its thread.
 */
public record MaintenanceConnections(DataSource database) {
  /** Statements end before the socket timeout of the server, so that PostgreSQL says why. */
  private static final String SETTINGS =
      """
      SET lock_timeout = '100ms'; SET statement_timeout = '10s';
      SET idle_in_transaction_session_timeout = '5s'""";

  /** Opens a connection with these timeouts. */
  public Connection open() throws SQLException {
    var connection = database.getConnection();
    try (var statement = connection.createStatement()) {
      statement.execute(SETTINGS);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }
}
