package dev.hapax.postgres.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to commit with.
 *
 * @param outage is waited for, and learns of connections that cannot be opened
 * @param silenceMillis how long the database may take to answer before a connection counts as lost
 */
record CommitterConnections(DataSource database, DatabaseOutage outage, int silenceMillis) {
  private static final Logger LOG = LoggerFactory.getLogger(CommitterConnections.class);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** An answer that takes longer than this shows an outage, and not only the end of a session. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  Connection connect() throws SQLException {
    outage.awaitEnd(PATIENCE);
    var connection = open();
    try {
      connection.setNetworkTimeout(Runnable::run, silenceMillis);
      return connection;
    } catch (SQLException e) {
      release(connection);
      throw e;
    }
  }

  private Connection open() throws SQLException {
    var sentNanos = System.nanoTime();
    try {
      return database.getConnection();
    } catch (SQLException e) {
      outage.suspect(sentNanos, e);
      throw e;
    }
  }

  /** A transaction that was begun then has failed, perhaps for want of an answer. */
  void failed(long sentNanos) {
    if (System.nanoTime() - sentNanos >= SILENCE.toNanos()) {
      outage.suspect(sentNanos, new SQLException("the database does not answer"));
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
