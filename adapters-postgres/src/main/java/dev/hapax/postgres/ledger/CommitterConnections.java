package dev.hapax.postgres.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to commit with.
 *
 * @param silenceMillis how long the database may take to answer before a connection counts as lost
 */
record CommitterConnections(DataSource database, int silenceMillis) {
  private static final Logger LOG = LoggerFactory.getLogger(CommitterConnections.class);

  Connection connect() throws SQLException {
    var connection = database.getConnection();
    try {
      connection.setNetworkTimeout(Runnable::run, silenceMillis);
      return connection;
    } catch (SQLException e) {
      release(connection);
      throw e;
    }
  }

  /** Whatever happens here changes nothing about what has happened before. */
  static void release(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection was not closed well: {}", e.getMessage());
    }
  }
}
