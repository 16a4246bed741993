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

  /** Returns the connection to the pool; a failure does not change the result of the batch. */
  static void release(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("closing a connection failed: {}", e.getMessage());
    }
  }
}
