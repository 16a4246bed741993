package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_KEY;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.run.PageScan.Place;
import dev.hapax.postgres.run.PageScan.Removed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes idempotency keys that have expired and whose run was removed: starts treat them as
 * absent. It scans the table of keys, since an index of them by run would cost every start.
 */
public final class RunKeyPurge {
  private static final Logger LOG = LoggerFactory.getLogger(RunKeyPurge.class);

  static final String FORGOTTEN =
      """
      SELECT workspace, hash, run_id FROM hapax.run_key k
      WHERE ctid > ?::tid AND ctid < ?::tid AND expires_at <= now()
        AND NOT EXISTS (SELECT FROM hapax.run r WHERE r.workspace = k.workspace AND r.id = k.run_id) AND
      """
          + MovedWorkspaces.excluded("k");

  /**
   * Removes the keys that no batch has locked and that still lead to the run that is gone. Runs do
   * not come back, so nothing else has to be checked again.
   */
  static final String REMOVE =
      """
      WITH locked AS (
        SELECT l.workspace, l.hash
        FROM unnest(?::text[], ?::uuid[], ?::uuid[]) f(workspace, hash, run_id), LATERAL (
          SELECT workspace, hash FROM hapax.run_key
          WHERE workspace = f.workspace AND hash = f.hash AND run_id = f.run_id
          FOR UPDATE SKIP LOCKED) l)
      DELETE FROM hapax.run_key k USING locked l WHERE k.workspace = l.workspace AND k.hash = l.hash
      """;

  private final MaintenanceConnections connections;
  private final PageScan scan;

  /** Purges keys of runs that are kept for this retention. */
  public RunKeyPurge(MaintenanceConnections connections, Duration retention) {
    this.connections = connections;
    this.scan = new PageScan("hapax.run_key", retention, LockSupport::parkNanos, System::nanoTime);
  }

  /** A key that has expired, and the id of its run, which is gone. */
  record Forgotten(RunKeyId key, UUID run) {}

  /** Removes keys for two minutes at most; returns their number. */
  public int run() throws SQLException {
    var removed = scan.run(connections, RunKeyPurge::remove);
    if (removed > 0) {
      LOG.info("removed {} expired idempotency keys of removed runs", removed);
    }
    return removed;
  }

  private static Removed remove(Connection connection, Place from) throws SQLException {
    var number =
        PageScan.inTransaction(connection, () -> remove(connection, forgotten(connection, from)));
    return new Removed(number, Optional.empty());
  }

  /** Finds forgotten keys behind this place, in the next pages of the table. */
  static List<Forgotten> forgotten(Connection connection, Place from) throws SQLException {
    PurgeStatements.planByIndex(connection);
    var found = new ArrayList<Forgotten>();
    try (var select = connection.prepareStatement(FORGOTTEN)) {
      select.setString(1, from.toString());
      select.setString(2, from.next().toString());
      try (var rows = select.executeQuery()) {
        var row = new Row(rows);
        while (rows.next()) {
          var workspace = new Workspace(row.text(RUN_KEY.WORKSPACE));
          found.add(
              new Forgotten(
                  new RunKeyId(workspace, row.uuid(RUN_KEY.HASH)), row.uuid(RUN_KEY.RUN_ID)));
        }
      }
    }
    return found;
  }

  /** Removes those of the keys that no start uses again; returns their number. */
  static int remove(Connection connection, List<Forgotten> keys) throws SQLException {
    if (keys.isEmpty()) {
      return 0;
    }
    try (var delete = connection.prepareStatement(REMOVE)) {
      delete.setArray(
          1, connection.createArrayOf("text", of(keys, found -> found.key().workspace().name())));
      delete.setArray(2, connection.createArrayOf("uuid", of(keys, found -> found.key().hash())));
      delete.setArray(3, connection.createArrayOf("uuid", of(keys, Forgotten::run)));
      return delete.executeUpdate();
    }
  }

  private static Object[] of(List<Forgotten> keys, Function<Forgotten, Object> part) {
    return keys.stream().map(part).toArray();
  }
}
