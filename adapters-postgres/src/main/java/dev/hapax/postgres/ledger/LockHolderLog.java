package dev.hapax.postgres.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Names the session that makes commands wait for long; at most once in 30 s. */
final class LockHolderLog {
  private static final Logger LOG = LoggerFactory.getLogger(LockHolderLog.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The waiting session gives up soon, so only a few looks are worth it. */
  private static final int TRIES = 6;

  private static final String HOLDERS =
      "SELECT pid, usename, coalesce(nullif(application_name, ''), 'no application') FROM pg_stat_activity"
          + " WHERE pid = ANY (pg_blocking_pids(?)) ORDER BY backend_start LIMIT 1";

  private final CommitterConnections connections;
  private final AtomicLong nextNanos = new AtomicLong(System.nanoTime());

  LockHolderLog(CommitterConnections connections) {
    this.connections = connections;
  }

  /** Finds out which session blocks this one, which is about to wait for a record. */
  void watch(Connection waiting) {
    var due = nextNanos.get();
    if (System.nanoTime() - due < 0
        || !nextNanos.compareAndSet(due, System.nanoTime() + INTERVAL_NANOS)) {
      return;
    }
    try {
      var pid = waiting.unwrap(PGConnection.class).getBackendPID();
      Thread.ofVirtual().name("lock-holder").start(() -> find(pid));
    } catch (SQLException e) {
      LOG.debug("the waiting session is not known: {}", e.getMessage());
    }
  }

  private void find(int waiting) {
    try {
      var connection = connections.connect();
      try {
        for (var tries = 0; tries < TRIES; tries++) {
          if (log(connection, waiting)) {
            return;
          }
          LockSupport.parkNanos(PAUSE_NANOS);
        }
        // it was free, or the wait had not begun: the next wait is watched again
        nextNanos.set(System.nanoTime());
      } finally {
        CommitterConnections.release(connection);
      }
    } catch (SQLException e) {
      LOG.debug("the session that blocks others could not be read: {}", e.getMessage());
    }
  }

  private static boolean log(Connection connection, int waiting) throws SQLException {
    try (var query = connection.prepareStatement(HOLDERS)) {
      query.setInt(1, waiting);
      try (var rows = query.executeQuery()) {
        if (!rows.next()) {
          return false;
        }
        LOG.warn(
            "commands wait for a record that session {} of user {} ({}) holds; see pg_stat_activity",
            rows.getInt(1),
            rows.getString(2),
            rows.getString(3));
        return true;
      }
    }
  }
}
