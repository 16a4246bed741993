package dev.hapax.postgres.intent;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentReads.InboxPage;
import dev.hapax.domain.intent.IntentReads.InboxPosition;
import dev.hapax.domain.intent.IntentReads.InboxWorkspaces;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads a page of the inbox of a workspace, or of what is new in all. A row that a snapshot does
 * not show was posted by a transaction that was open then, or began later: the snapshot has its
 * number in the list of open ones, or that number is not below the snapshot's end.
 */
final class InboxScan {
  /** The most bytes of payloads on a page, without those of its last intent. */
  private static final int BYTES = 4 << 20;

  /**
   * Newer servers may know more verbs, and take those. Signals behind one that waits for the same
   * run or token are not read: they would have to wait, too.
   *
   * <p>Parameters: snapshot to show, or empty; workspace; after which number; at most.
   */
  private static final String IN =
      scan(
          """
          AND i.workspace = ?
          AND (i.verb NOT IN (2, 3) OR i.not_before IS NOT NULL
            OR (i.workspace, i.verb, coalesce(i.run_id, i.token)) NOT IN (
              SELECT p.workspace, p.verb, coalesce(p.run_id, p.token) FROM hapax.inbox p
              WHERE p.not_before > statement_timestamp() AND p.verb IN (2, 3)))
          """);

  /**
   * Parameters: snapshot to show, or empty; snapshot to skip, twice; after which number; at most.
   */
  private static final String SINCE =
      scan(
          """
          AND (i.xid >= pg_snapshot_xmax(?::pg_snapshot)
            OR i.xid = ANY (ARRAY(SELECT pg_snapshot_xip(?::pg_snapshot)))) AND
          """
              + MovedWorkspaces.excluded("i"));

  /** A search of the index for each workspace, however many intents it has. */
  private static final String ALL =
      workspaces(
          """
      WITH RECURSIVE w AS (
        (SELECT i.workspace FROM hapax.inbox i ORDER BY i.workspace LIMIT 1)
        UNION ALL
        SELECT (SELECT i.workspace FROM hapax.inbox i WHERE i.workspace > w.workspace ORDER BY i.workspace LIMIT 1)
        FROM w WHERE w.workspace IS NOT NULL)""");

  /** Parameters: snapshot to skip, twice. */
  private static final String NEW =
      workspaces(
          """
      WITH w AS (
        SELECT DISTINCT i.workspace FROM hapax.inbox i
        WHERE i.xid >= pg_snapshot_xmax(?::pg_snapshot)
          OR i.xid = ANY (ARRAY(SELECT pg_snapshot_xip(?::pg_snapshot))))""");

  private InboxScan() {}

  private static String scan(String condition) {
    return String.format(
        Locale.ROOT,
        """
    SELECT pg_current_snapshot()::text AS snapshot, statement_timestamp() AS now,
      EXISTS (SELECT FROM hapax.sql_grant) AS used, i.*
    FROM (SELECT) one LEFT JOIN (
      SELECT * FROM (
        SELECT p.*, count(*) OVER () AS candidates,
          sum(p.size) OVER (ORDER BY p.seq ROWS UNBOUNDED PRECEDING) - p.size AS before_it
        FROM (
          SELECT i.* FROM hapax.inbox i
          WHERE pg_visible_in_snapshot(i.xid, coalesce(nullif(?, '')::pg_snapshot, pg_current_snapshot()))
          %s AND i.seq > ? AND i.verb <= %d
          ORDER BY i.seq LIMIT ?) p) s
      WHERE before_it < %d) i ON true
    ORDER BY i.seq
    """,
        condition,
        VerbCode.LAST,
        BYTES);
  }

  static InboxPage scan(ReadSession session, InboxPosition position, int atMost)
      throws SQLException {
    var page = new Page();
    var parameters = new ArrayList<Object>();
    parameters.add(position.as().orElse(""));
    position.in().ifPresent(workspace -> parameters.add(workspace.name()));
    position.since().ifPresent(skipped -> parameters.addAll(List.of(skipped, skipped)));
    parameters.addAll(List.of(position.after(), atMost));
    var pipeline = session.pipeline();
    pipeline.query(
        position.since().isPresent() ? SINCE : IN,
        parameters,
        row -> {
          page.snapshot = row.getString("snapshot");
          page.now = row.getObject("now", OffsetDateTime.class).toInstant();
          page.isUsed = row.getBoolean("used");
          page.candidates = row.getInt("candidates");
          if (page.candidates > 0) {
            page.intents.add(RequestRows.intent(new Row(row)));
          }
        });
    pipeline.runPlannedAnew();
    var isLast = page.candidates < atMost && page.intents.size() == page.candidates;
    return new InboxPage(page.intents, page.snapshot, page.now, isLast, page.isUsed);
  }

  static InboxWorkspaces workspaces(ReadSession session, Optional<String> since)
      throws SQLException {
    var found = new HashSet<Workspace>();
    var page = new Page();
    var pipeline = session.pipeline();
    pipeline.query(
        since.isPresent() ? NEW : ALL,
        since.<List<Object>>map(skipped -> List.of(skipped, skipped)).orElse(List.of()),
        row -> {
          page.snapshot = row.getString("snapshot");
          page.isUsed = row.getBoolean("used");
          var workspace = row.getString("workspace");
          if (workspace != null) {
            found.add(new Workspace(workspace));
          }
        });
    pipeline.runPlannedAnew();
    return new InboxWorkspaces(found, page.snapshot, page.isUsed);
  }

  private static String workspaces(String found) {
    return """
    %s
    SELECT pg_current_snapshot()::text AS snapshot, EXISTS (SELECT FROM hapax.sql_grant) AS used, w.workspace
    FROM (SELECT) one LEFT JOIN w ON w.workspace IS NOT NULL AND %s
    """
        .formatted(found, MovedWorkspaces.excluded("w"));
  }

  private static final class Page {
    private final List<PostedIntent> intents = new ArrayList<>();
    private String snapshot = "";
    private Instant now = Instant.EPOCH;
    private boolean isUsed;
    private int candidates;
  }
}
