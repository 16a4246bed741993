package dev.hapax.postgres.hook;

import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the places of runs that wait no longer. They never count again, so no lock is needed, and
 * no place of a batch that has not committed is visible here.
 */
public final class PlacePurge {
  private static final Logger LOG = LoggerFactory.getLogger(PlacePurge.class);
  private static final int AT_ONCE = 5_000;

  /** By the key of each run: a NOT EXISTS would be planned as a hash of the whole table. */
  private static final String REMOVE =
      """
      DELETE FROM hapax.place
      WHERE ctid = ANY (ARRAY(
        SELECT p.ctid FROM hapax.place p
        WHERE (SELECT true FROM hapax.run r
          WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
            AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes)) LIMIT 1) IS NULL
          AND %s
        LIMIT ?))
      """
          .formatted(MovedWorkspaces.excluded("p"));

  private final MaintenanceConnections connections;

  public PlacePurge(MaintenanceConnections connections) {
    this.connections = connections;
  }

  /** Removes them in pages; returns how many. */
  public int run() throws SQLException {
    var removed = 0;
    try (var connection = connections.open();
        var statement = connection.prepareStatement(REMOVE)) {
      statement.setInt(1, AT_ONCE);
      int some;
      do {
        some = statement.executeUpdate();
        removed += some;
      } while (some == AT_ONCE);
    }
    if (removed > 0) {
      LOG.info("removed {} places of runs that wait no longer", removed);
    }
    return removed;
  }
}
