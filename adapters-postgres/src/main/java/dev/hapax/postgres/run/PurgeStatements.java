package dev.hapax.postgres.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.run.PageScan.Place;
import dev.hapax.postgres.run.RunPurge.OldRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements of {@link RunPurge}. They skip locked rows: batches lock tokens before runs, and a
 * purge has to lock the runs first. Rows that a batch has locked are left for the next purge.
 */
final class PurgeStatements {
  private static final String SETTINGS =
      """
      SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
      SET LOCAL enable_mergejoin = off; SET LOCAL lock_timeout = '100ms'
      """;

  private static final String IS_OLD =
      "phase >= 6 AND until < now() - :retention * interval '1 microsecond'";

  private static final String IS_FORGOTTEN =
      """
      (remembered_until <= now()
       AND until + coalesce(token_retention, 0) * interval '1 microsecond' <= now())\
      """;

  private static final String NEXT =
      """
      SELECT workspace, id, version, ctid FROM hapax.run
      WHERE ctid > ?::tid AND ctid < ?::tid AND :old AND :forgotten AND :here ORDER BY ctid
      """;

  private static final String LOCK =
      """
      SELECT r.workspace, r.id FROM unnest(?::text[], ?::uuid[]) k(workspace, id), LATERAL (
        SELECT workspace, id FROM hapax.run
        WHERE workspace = k.workspace AND id = k.id AND :old AND :forgotten AND :here
        FOR UPDATE SKIP LOCKED) r
      """;

  /** Selects the tokens that runs have had or waited for: of those, each line marks its runs. */
  private static final String HAD =
      """
      SELECT DISTINCT l.workspace, l.id AS run_id, h.hook
      FROM unnest(?::text[], ?::uuid[]) l(workspace, id), LATERAL (
        SELECT e.hook FROM hapax.run_event e
        WHERE e.workspace = l.workspace AND e.run_id = l.id AND e.type = :created
        UNION ALL SELECT unnest(line_hashes) FROM hapax.run r
        WHERE r.workspace = l.workspace AND r.id = l.id) h\
      """;

  /** Keeps tokens for which runs wait, or have begun to wait since they were searched. */
  private static final String HOOKS =
      """
      WITH had AS (:had), seen AS MATERIALIZED (
        SELECT s.workspace, s.hash, s.run_id, s.last_turn FROM had, LATERAL (
          SELECT workspace, hash, run_id, last_turn FROM hapax.hook
          WHERE workspace = had.workspace AND hash = had.hook AND run_id = had.run_id LIMIT 1) s
        WHERE NOT EXISTS (SELECT FROM hapax.place p
          WHERE p.workspace = s.workspace AND p.hash = s.hash)
      ), locked AS (
        SELECT l.workspace, l.hash FROM seen, LATERAL (
          SELECT workspace, hash FROM hapax.hook
          WHERE workspace = seen.workspace AND hash = seen.hash AND run_id = seen.run_id
            AND last_turn IS NOT DISTINCT FROM seen.last_turn
          FOR UPDATE SKIP LOCKED) l)
      DELETE FROM hapax.hook h USING locked l WHERE h.workspace = l.workspace AND h.hash = l.hash
      """;

  /** Skips runs to which a token leads that was locked, or for which runs wait. */
  private static final String RUNS =
      """
      WITH had AS (:had)
      DELETE FROM hapax.run d USING unnest(?::text[], ?::uuid[]) r(workspace, id)
      WHERE d.workspace = r.workspace AND d.id = r.id
        AND NOT EXISTS (SELECT FROM had JOIN hapax.hook h
          ON h.workspace = had.workspace AND h.hash = had.hook AND h.run_id = had.run_id
          WHERE had.workspace = d.workspace AND had.run_id = d.id)
      RETURNING d.workspace, d.id, d.labels
      """;

  private static final List<String> PARTS =
      List.of(part("run_event"), part("run_signal"), part("run_step"));

  private static final String LABELS =
      """
      DELETE FROM hapax.run_label d
      USING unnest(?::text[], ?::uuid[], ?::text[]) r(workspace, id, labels),
        LATERAL json_each_text(r.labels::json) l
      WHERE d.workspace = r.workspace AND d.name = l.key AND d.value = l.value AND d.run_id = r.id
      """;

  private final Map<String, String> names;

  PurgeStatements(long retentionMicros) {
    var created = EventType.HOOK_CREATED.code();
    names =
        Map.of(
            ":old", IS_OLD.replace(":retention", Long.toString(retentionMicros)),
            ":forgotten", IS_FORGOTTEN,
            ":here", MovedWorkspaces.excluded("run"),
            ":had", HAD.replace(":created", Short.toString(created)));
  }

  private static String part(String table) {
    return """
        DELETE FROM hapax.%s d USING unnest(?::text[], ?::uuid[]) r(workspace, id)
        WHERE d.workspace = r.workspace AND d.run_id = r.id
        """
        .formatted(table);
  }

  private String text(String statement) {
    var text = statement;
    for (var name : names.entrySet()) {
      text = text.replace(name.getKey(), name.getValue());
    }
    return text;
  }

  /** Forces plans by index in this transaction, whatever the statistics say. */
  static void planByIndex(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(SETTINGS);
    }
  }

  /** The select of old runs between two places of the table. */
  String next() {
    return text(NEXT);
  }

  /** Finds old runs behind this place, in the next pages of the table. */
  List<OldRun> next(Connection connection, Place position) throws SQLException {
    var found = new ArrayList<OldRun>();
    IndexScan.query(
        ReadSession.wide(connection),
        next(),
        List.of(position.toString(), position.next().toString()),
        row -> {
          var id = new RunId(new Workspace(row.getString(1)), row.getObject(2, UUID.class));
          found.add(new OldRun(id, row.getLong(3), Place.of(row.getString(4))));
        });
    return found;
  }

  private record Removed(RunId id, @Nullable String labels) {}

  /** Removes the runs that no batch has locked; returns their number. */
  int remove(Connection connection, List<RunId> runs) throws SQLException {
    planByIndex(connection);
    var locked = select(connection, LOCK, runs, 1).stream().map(Removed::id).toList();
    if (locked.isEmpty()) {
      return 0;
    }
    delete(connection, HOOKS, locked);
    var removed = select(connection, RUNS, locked, 2);
    var ids = removed.stream().map(Removed::id).toList();
    for (var part : PARTS) {
      delete(connection, part, ids);
    }
    try (var delete = connection.prepareStatement(text(LABELS))) {
      set(delete, 1, ids);
      var labels = removed.stream().map(Removed::labels).toArray(String[]::new);
      delete.setArray(3, connection.createArrayOf("text", labels));
      delete.executeUpdate();
    }
    return removed.size();
  }

  private void delete(Connection connection, String statement, List<RunId> runs)
      throws SQLException {
    try (var delete = connection.prepareStatement(text(statement))) {
      set(delete, 1, runs);
      delete.executeUpdate();
    }
  }

  /** Runs a select that takes the runs several times. */
  private List<Removed> select(Connection connection, String statement, List<RunId> runs, int times)
      throws SQLException {
    var found = new ArrayList<Removed>();
    try (var select = connection.prepareStatement(text(statement))) {
      for (var i = 0; i < times; i++) {
        set(select, 1 + 2 * i, runs);
      }
      try (var rows = select.executeQuery()) {
        var hasLabels = rows.getMetaData().getColumnCount() > 2;
        while (rows.next()) {
          var id = new RunId(new Workspace(rows.getString(1)), rows.getObject(2, UUID.class));
          found.add(new Removed(id, hasLabels ? rows.getString(3) : null));
        }
      }
    }
    return found;
  }

  private static void set(PreparedStatement statement, int at, List<RunId> runs)
      throws SQLException {
    var connection = statement.getConnection();
    statement.setArray(
        at,
        connection.createArrayOf(
            "text", runs.stream().map(run -> run.workspace().name()).toArray()));
    statement.setArray(
        at + 1, connection.createArrayOf("uuid", runs.stream().map(RunId::uuid).toArray()));
  }
}
