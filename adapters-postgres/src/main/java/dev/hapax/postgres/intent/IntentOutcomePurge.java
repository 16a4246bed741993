package dev.hapax.postgres.intent;

import dev.hapax.domain.intent.IntentReads;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the outcomes of intents that were taken long ago. Each statement is bounded, and is
 * followed by a pause as long as it took; one server purges at a time.
 */
public final class IntentOutcomePurge {
  private static final Logger LOG = LoggerFactory.getLogger(IntentOutcomePurge.class);
  private static final long LOCK = 4_217_005;
  private static final int AT_ONCE = 5_000;

  /** The longest round; the next one continues. */
  private static final Duration ROUND = Duration.ofMinutes(2);

  private static final String REMOVE =
      String.format(
          Locale.ROOT,
          """
      DELETE FROM hapax.intent_outcome
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM hapax.intent_outcome
        WHERE taken_at < now() - interval '%d days' AND %s
        ORDER BY taken_at LIMIT %d))
      """,
          IntentReads.OUTCOME_DAYS,
          MovedWorkspaces.excluded("intent_outcome"),
          AT_ONCE);

  private final MaintenanceConnections connections;

  public IntentOutcomePurge(MaintenanceConnections connections) {
    this.connections = connections;
  }

  /** Runs one round; returns how many outcomes were removed. */
  public long run() throws SQLException {
    try (var connection = connections.open()) {
      // freed with the connection
      if (!isLocked(connection)) {
        return 0;
      }
      var removed = remove(connection, System.nanoTime() + ROUND.toNanos());
      if (removed > 0) {
        LOG.info("removed {} outcomes of intents", removed);
      }
      return removed;
    }
  }

  private static boolean isLocked(Connection connection) throws SQLException {
    try (var statement = connection.prepareStatement("SELECT pg_try_advisory_lock(?)")) {
      statement.setLong(1, LOCK);
      try (var row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private static long remove(Connection connection, long end) throws SQLException {
    var removed = 0L;
    try (var statement = connection.prepareStatement(REMOVE)) {
      while (true) {
        var begun = System.nanoTime();
        var some = statement.executeUpdate();
        removed += some;
        if (some < AT_ONCE || System.nanoTime() - end >= 0) {
          return removed;
        }
        Thread.sleep(Duration.ofNanos(System.nanoTime() - begun));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return removed;
    }
  }
}
