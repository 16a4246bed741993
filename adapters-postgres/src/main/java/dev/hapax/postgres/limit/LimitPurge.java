package dev.hapax.postgres.limit;

import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes slots that count no longer, and limits that no run has reached for a week. A slot never
 * counts again, so it needs no lock; a limit may be reached at any time, so its row is locked
 * before it is judged.
 */
public final class LimitPurge {
  private static final Logger LOG = LoggerFactory.getLogger(LimitPurge.class);
  private static final int AT_ONCE = 5_000;

  /**
   * By the key of each run: a NOT EXISTS would be planned as a hash of the whole table, here and
   * below.
   */
  private static final String REMOVE_SLOTS =
      """
      DELETE FROM hapax.slot
      WHERE ctid = ANY (ARRAY(
        SELECT s.ctid FROM hapax.slot s
        WHERE (SELECT true FROM hapax.run r
          WHERE r.workspace = s.workspace AND r.id = s.run_id AND
            (r.phase IN (1, 2) AND r.turn = s.turn AND s.hash = ANY (r.limit_hashes)
            OR r.definition_turn = s.turn AND s.hash = ANY (r.definition_hashes)) LIMIT 1) IS NULL
          AND %s
        LIMIT ?))
      """
          .formatted(MovedWorkspaces.excluded("s"));

  private static final String LOCK_UNUSED =
      """
      SELECT l.workspace, l.hash FROM hapax.limit_line l
      WHERE l.last_turn < extract(epoch FROM now() - interval '7 days') * 1000000
        AND (SELECT true FROM hapax.slot s WHERE s.workspace = l.workspace AND s.hash = l.hash LIMIT 1) IS NULL
        AND (SELECT true FROM hapax.place p WHERE p.workspace = l.workspace AND p.hash = l.hash LIMIT 1) IS NULL
        AND %s
      LIMIT ? FOR UPDATE OF l SKIP LOCKED
      """
          .formatted(MovedWorkspaces.excluded("l"));

  /** By a later snapshot than the lock: a run may have reached the limit before it. */
  private static final String REMOVE_UNUSED =
      """
      DELETE FROM hapax.limit_line l
      USING unnest(?::varchar[], ?::uuid[]) u(workspace, hash)
      WHERE l.workspace = u.workspace AND l.hash = u.hash
        AND (SELECT true FROM hapax.slot s WHERE s.workspace = l.workspace AND s.hash = l.hash LIMIT 1) IS NULL
        AND (SELECT true FROM hapax.place p WHERE p.workspace = l.workspace AND p.hash = l.hash LIMIT 1) IS NULL
      """;

  private final MaintenanceConnections connections;

  public LimitPurge(MaintenanceConnections connections) {
    this.connections = connections;
  }

  /** Removes them in pages; returns how many. */
  public int run() throws SQLException {
    var removed = 0;
    try (var connection = connections.open()) {
      try (var statement = connection.prepareStatement(REMOVE_SLOTS)) {
        statement.setInt(1, AT_ONCE);
        int some;
        do {
          some = statement.executeUpdate();
          removed += some;
        } while (some == AT_ONCE);
      }
      connection.setAutoCommit(false);
      int some;
      do {
        some = removeUnused(connection);
        connection.commit();
        removed += some;
      } while (some == AT_ONCE);
      connection.setAutoCommit(true);
    }
    if (removed > 0) {
      LOG.info("removed {} slots that count no longer and unused limits", removed);
    }
    return removed;
  }

  private static int removeUnused(Connection connection) throws SQLException {
    try (var lock = connection.prepareStatement(LOCK_UNUSED);
        var remove = connection.prepareStatement(REMOVE_UNUSED)) {
      lock.setInt(1, AT_ONCE);
      var workspaces = new ArrayList<String>();
      var hashes = new ArrayList<UUID>();
      try (var rows = lock.executeQuery()) {
        while (rows.next()) {
          workspaces.add(rows.getString(1));
          hashes.add(rows.getObject(2, UUID.class));
        }
      }
      remove.setArray(1, connection.createArrayOf("varchar", workspaces.toArray()));
      remove.setArray(2, connection.createArrayOf("uuid", hashes.toArray()));
      return remove.executeUpdate();
    }
  }
}
