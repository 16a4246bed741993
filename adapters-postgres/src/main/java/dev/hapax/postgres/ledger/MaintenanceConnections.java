package dev.hapax.postgres.ledger;

import dev.hapax.postgres.schema.SessionRoles;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Connections of background work with short timeouts: it fails and is retried instead of blocking
 * calls or waiting for a lock that another node never releases.
 */
public record MaintenanceConnections(DataSource database, SessionRoles roles) {
  /** Statements time out before the socket does, so that PostgreSQL reports the reason. */
  private static final String SETTINGS =
      """
      SET lock_timeout = '100ms'; SET statement_timeout = '10s';
      SET idle_in_transaction_session_timeout = '5s';
      """;

  /** Opens a connection with these timeouts. */
  public Connection open() throws SQLException {
    var connection = database.getConnection();
    try {
      begin(connection);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Gives a connection that is not this one's these timeouts, and the role. */
  public void begin(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(SETTINGS + roles.beginMaintenance());
    }
  }
}
