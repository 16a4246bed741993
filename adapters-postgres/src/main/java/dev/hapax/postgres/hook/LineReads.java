package dev.hapax.postgres.hook;

import static dev.hapax.postgres.schema.Tables.PLACE;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.Line.Place;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Reads the line of a token. */
public record LineReads(ReadSession session, HookId id) {
  /** Of {@code place p}: a place counts only while its run waits in this line with this turn. */
  public static final String IS_WAITING =
      """
      LATERAL (SELECT FROM hapax.run r
        WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
          AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes)) LIMIT 1) w\
      """;

  private static final String FIRST =
      text(
          """
          SELECT p.turn, p.run_id FROM hapax.place p, :waiting
          WHERE p.workspace = ? AND p.hash = ? ORDER BY p.turn LIMIT :listed
          """);

  /** Counts up to a limit, so that a long line costs no more. */
  private static final String COUNT =
      text(
          """
          SELECT count(*) FROM (SELECT FROM hapax.place p, :waiting
            WHERE p.workspace = ? AND p.hash = ? AND p.turn < ? LIMIT :counted) waiting
          """);

  /**
   * Steps from token to token in the index. A token has no living owner if its run has ended or
   * waits itself, or disposed of it. An EXISTS would be planned as a hash of the whole table.
   */
  static final String TOKENS =
      text(
          """
          WITH RECURSIVE token(workspace, hash) AS (
            (SELECT p.workspace, p.hash FROM hapax.place p WHERE (p.workspace, p.hash) > (?, ?::uuid)
             ORDER BY p.workspace, p.hash LIMIT 1)
            UNION ALL
            SELECT next.* FROM token t, LATERAL (
              SELECT p.workspace, p.hash FROM hapax.place p WHERE (p.workspace, p.hash) > (t.workspace, t.hash)
              ORDER BY p.workspace, p.hash LIMIT 1) next)
          SELECT t.workspace, t.hash,
            coalesce((
              SELECT h.disposed_at IS NOT NULL OR (
                  SELECT true FROM hapax.run r
                  WHERE r.workspace = h.workspace AND r.id = h.run_id AND r.phase < 6 AND r.awaited IS NULL
                  LIMIT 1) IS NULL
              FROM hapax.hook h WHERE h.workspace = t.workspace AND h.hash = t.hash LIMIT 1), false)
            AND (
              SELECT true FROM hapax.place p, :waiting
              WHERE p.workspace = t.workspace AND p.hash = t.hash LIMIT 1) IS NOT NULL
            AND :here
            AS is_unowned
          FROM (SELECT * FROM token LIMIT ?) t
          """);

  private static final Field<Boolean> IS_UNOWNED = DSL.field("is_unowned", Boolean.class);
  private static final UUID NIL = new UUID(0, 0);

  private static String text(String statement) {
    return statement
        .replace(":waiting", IS_WAITING)
        .replace(":here", MovedWorkspaces.excluded("t"))
        .replace(":listed", Integer.toString(HookReads.MOST_LISTED))
        .replace(":counted", Integer.toString(HookReads.MOST_COUNTED));
  }

  /** The first runs that wait. */
  List<Place> first() throws SQLException {
    var places = new ArrayList<Place>();
    var pipeline = session.pipeline();
    pipeline.query(
        FIRST,
        List.of(id.workspace().name(), id.hash()),
        found -> {
          var row = new Row(found);
          places.add(
              new Place(row.number(PLACE.TURN), new RunId(id.workspace(), row.uuid(PLACE.RUN_ID))));
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
        COUNT, List.of(id.workspace().name(), id.hash(), turn), row -> counts.add(row.getInt(1)));
    pipeline.run();
    return counts.getFirst();
  }

  /** Those of the next tokens of all workspaces for which a run waits, and that no run owns. */
  static Page<HookId, HookId> unowned(ReadSession session, Optional<HookId> after, int searched)
      throws SQLException {
    var tokens = new ArrayList<HookId>();
    var unowned = new ArrayList<HookId>();
    IndexScan.query(
        session,
        TOKENS,
        List.of(
            after.map(last -> last.workspace().name()).orElse(""),
            after.map(HookId::hash).orElse(NIL),
            searched),
        found -> {
          var row = new Row(found);
          var token = new HookId(new Workspace(row.text(PLACE.WORKSPACE)), row.uuid(PLACE.HASH));
          tokens.add(token);
          if (row.flag(IS_UNOWNED)) {
            unowned.add(token);
          }
        });
    return new Page<>(
        unowned, tokens.size() < searched ? Optional.empty() : Optional.of(tokens.getLast()));
  }
}
