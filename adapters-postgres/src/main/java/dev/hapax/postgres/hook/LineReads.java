package dev.hapax.postgres.hook;

import static dev.hapax.postgres.schema.Tables.PLACE;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.Line.Place;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Reads the line of a token. */
record LineReads(ReadSession session, HookId id) {
  private static final String IS_WAITING =
      """
      LATERAL (SELECT FROM hapax.run r
        WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn LIMIT 1) w\
      """;

  private static final String FIRST =
      """
      SELECT p.turn, p.run_id FROM hapax.place p, %s
      WHERE p.workspace = ? AND p.hash = ? ORDER BY p.turn LIMIT %d
      """;

  /** Counts up to a limit, so that a long line costs no more. */
  private static final String COUNT =
      """
      SELECT count(*) FROM (SELECT FROM hapax.place p, %s
        WHERE p.workspace = ? AND p.hash = ? AND p.turn < ? LIMIT %d) waiting
      """;

  /**
   * Steps from token to token in the index, and keeps those whose owner does not live: its run has
   * ended or waits itself, or disposed of the token.
   */
  static final String UNOWNED =
      """
      WITH RECURSIVE token(workspace, hash) AS (
        (SELECT p.workspace, p.hash FROM hapax.place p WHERE (p.workspace, p.hash) > (?, ?::uuid)
         ORDER BY p.workspace, p.hash LIMIT 1)
        UNION ALL
        SELECT next.* FROM token t, LATERAL (
          SELECT p.workspace, p.hash FROM hapax.place p WHERE (p.workspace, p.hash) > (t.workspace, t.hash)
          ORDER BY p.workspace, p.hash LIMIT 1) next)
      SELECT t.workspace, t.hash FROM token t, LATERAL (
        SELECT h.run_id, h.disposed_at FROM hapax.hook h
        WHERE h.workspace = t.workspace AND h.hash = t.hash LIMIT 1) h
      WHERE (h.disposed_at IS NOT NULL
          OR NOT EXISTS (SELECT FROM hapax.run r WHERE r.workspace = t.workspace AND r.id = h.run_id
            AND r.phase < 6 AND r.awaited IS NULL))
        AND EXISTS (SELECT FROM hapax.place p, %s WHERE p.workspace = t.workspace AND p.hash = t.hash)
      LIMIT ?
      """;

  private static final UUID NIL = new UUID(0, 0);

  /** The first runs that wait. */
  List<Place> first() throws SQLException {
    var places = new ArrayList<Place>();
    var pipeline = session.pipeline();
    pipeline.query(
        String.format(Locale.ROOT, FIRST, IS_WAITING, HookReads.MOST_LISTED),
        List.of(id.workspace().name(), id.hash()),
        found -> {
          var row = new Row(found);
          places.add(
              new Place(
                  row.number(PLACE.TURN), new RunId(id.workspace(), row.uuid(PLACE.RUN_ID))));
        });
    pipeline.run();
    return places;
  }

  int length() throws SQLException {
    return ahead(Long.MAX_VALUE);
  }

  /** How many runs wait with a smaller turn. */
  int ahead(long turn) throws SQLException {
    var counts = new ArrayList<Integer>(1);
    var pipeline = session.pipeline();
    pipeline.query(
        String.format(Locale.ROOT, COUNT, IS_WAITING, HookReads.MOST_COUNTED),
        List.of(id.workspace().name(), id.hash(), turn),
        row -> counts.add(row.getInt(1)));
    pipeline.run();
    return counts.getFirst();
  }

  /** Tokens of all workspaces for which a run waits, and that no run owns. */
  static List<HookId> unowned(ReadSession session, Optional<HookId> after, int atMost)
      throws SQLException {
    var tokens = new ArrayList<HookId>();
    IndexScan.query(
        session,
        String.format(Locale.ROOT, UNOWNED, IS_WAITING),
        List.of(
            after.map(last -> last.workspace().name()).orElse(""),
            after.map(HookId::hash).orElse(NIL),
            atMost),
        found -> {
          var row = new Row(found);
          tokens.add(
              new HookId(new Workspace(row.text(PLACE.WORKSPACE)), row.uuid(PLACE.HASH)));
        });
    return tokens;
  }
}
