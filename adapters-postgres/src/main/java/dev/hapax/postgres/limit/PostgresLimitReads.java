package dev.hapax.postgres.limit;

import static dev.hapax.postgres.schema.Tables.LIMIT_LINE;
import static dev.hapax.postgres.schema.Tables.LIMIT_SETTING;
import static dev.hapax.postgres.schema.Tables.PLACE;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.hook.LineReads;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.WideReads;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Reads limits together with the runs that count and wait at them. */
public final class PostgresLimitReads implements LimitReads {
  private static final String ADMITTED =
      """
      LATERAL (SELECT FROM hapax.run r
        WHERE r.workspace = s.workspace AND r.id = s.run_id AND
          (r.phase IN (1, 2) AND r.turn = s.turn AND s.hash = ANY (r.limit_hashes)
          OR r.definition_turn = s.turn AND s.hash = ANY (r.definition_hashes)) LIMIT 1) w\
      """;

  /** The names and values of two indexes, merged, with what is known of each. */
  private static final String LIST =
      state(
          """
          SELECT name, key, of_definitions FROM (
            (SELECT name, key, of_definitions FROM hapax.limit_line
             WHERE workspace = ? AND (name, key, of_definitions) > (?, ?, ?) AND (? = '' OR name = ?)
             ORDER BY name, key, of_definitions LIMIT ?)
            UNION
            (SELECT name, key, of_definitions FROM hapax.limit_setting
             WHERE workspace = ? AND (name, key, of_definitions) > (?, ?, ?) AND (? = '' OR name = ?)
               AND (max_running IS NOT NULL OR max_starts IS NOT NULL)
             ORDER BY name, key, of_definitions LIMIT ?)) n
          ORDER BY name, key, of_definitions LIMIT ?
          """);

  private static final String FIND =
      state(
          "SELECT ?::text COLLATE \"C\" AS name, ?::text COLLATE \"C\" AS key, ?::boolean AS of_definitions");

  /** Counts up to a limit, so that a long line costs no more. */
  private static final String AHEAD =
      text(
          """
          SELECT count(*) FROM (SELECT FROM hapax.place p, :waiting
            WHERE p.workspace = ? AND p.hash = ? AND p.turn < ? LIMIT :counted) waiting
          """);

  /** By the key, since EXISTS would read the dead rows of the table. */
  private static final String ANY_PLACE =
      "SELECT FROM hapax.place ORDER BY workspace, hash, turn LIMIT 1";

  /**
   * Steps from line to line in the index; the lines of tokens have no limit. A rate delays the run
   * for which it was computed, unless it was set since or the clock went back. A run that waits
   * behind others in another of its lines has no room. An EXISTS of places would be planned as a
   * hash of the whole table.
   */
  static final String FREE =
      text(
          """
          WITH RECURSIVE line(workspace, hash) AS (
            (SELECT p.workspace, p.hash FROM hapax.place p WHERE (p.workspace, p.hash) > (?, ?::uuid)
             ORDER BY p.workspace, p.hash LIMIT 1)
            UNION ALL
            SELECT next.* FROM line t, LATERAL (
              SELECT p.workspace, p.hash FROM hapax.place p WHERE (p.workspace, p.hash) > (t.workspace, t.hash)
              ORDER BY p.workspace, p.hash LIMIT 1) next)
          SELECT t.workspace, t.hash, l.name, l.key, l.of_definitions, l.hash IS NOT NULL
            AND f.turn IS NOT NULL AND :here
            AND (l.due_at IS NULL OR l.due_at <= now() OR l.due_turn <> f.turn OR l.started_at > now()
              OR EXISTS (SELECT FROM hapax.limit_setting s
                WHERE s.workspace = l.workspace AND s.name = l.name AND s.key IN (l.key, '')
                  AND s.of_definitions = l.of_definitions
                  AND s.set_at >= l.started_at AND s.set_at > now() - interval '1 hour'))
            AND (SELECT true FROM hapax.run o, unnest(o.limit_hashes) other(hash), LATERAL (
                SELECT p.turn FROM hapax.place p, :waiting
                WHERE p.workspace = t.workspace AND p.hash = other.hash ORDER BY p.turn LIMIT 1) first
              WHERE o.workspace = t.workspace AND o.id = f.run_id AND first.turn < f.turn LIMIT 1) IS NULL
            AND (SELECT count(*) FROM hapax.slot s, :admitted WHERE s.workspace = t.workspace AND s.hash = t.hash)
              < coalesce(
                (SELECT o.max_running FROM hapax.limit_setting o
                 WHERE o.workspace = l.workspace AND o.name = l.name AND o.key = l.key
                   AND o.of_definitions = l.of_definitions),
                (SELECT a.max_running FROM hapax.limit_setting a
                 WHERE a.workspace = l.workspace AND a.name = l.name AND a.key = ''
                   AND a.of_definitions = l.of_definitions),
                nullif(l.max_running, 0), 2147483647) AS is_free
          FROM (SELECT * FROM line LIMIT ?) t
          LEFT JOIN LATERAL (SELECT * FROM hapax.limit_line i
            WHERE i.workspace = t.workspace AND i.hash = t.hash LIMIT 1) l ON true
          LEFT JOIN LATERAL (SELECT p.turn, p.run_id FROM hapax.place p, :waiting
            WHERE p.workspace = t.workspace AND p.hash = t.hash ORDER BY p.turn LIMIT 1) f ON true
          """);

  private static final String DUE =
      text(
          """
          SELECT l.workspace, l.name, l.key, l.of_definitions,
            ceil(extract(epoch FROM l.due_at - now()) * 1000000)::bigint AS micros
          FROM hapax.limit_line l
          WHERE l.due_at >= now() AND l.due_at <= now() + ? * interval '1 microsecond'
            AND (SELECT true FROM hapax.place p, :waiting WHERE p.workspace = l.workspace AND p.hash = l.hash LIMIT 1) IS TRUE
            AND :here
          ORDER BY l.due_at LIMIT ?
          """);

  private static final Field<Boolean> IS_FREE = DSL.field("is_free", Boolean.class);
  private static final Field<Integer> DECLARED = DSL.field("declared", Integer.class);
  private static final Field<Integer> RUNNING = DSL.field("running", Integer.class);
  private static final Field<Integer> WAITING = DSL.field("waiting", Integer.class);
  private static final Field<Integer> OF_ALL = DSL.field("of_all", Integer.class);
  private static final Field<Integer> STARTS = DSL.field("starts", Integer.class);
  private static final Field<Long> STARTS_PER = DSL.field("starts_per", Long.class);
  private static final Field<Integer> STARTS_OF_ALL = DSL.field("starts_of_all", Integer.class);
  private static final Field<Long> PER_OF_ALL = DSL.field("per_of_all", Long.class);
  private static final Field<Long> IN = DSL.field("micros", Long.class);
  private static final Field<Long> OLDEST = DSL.field("oldest", Long.class);
  private static final UUID NIL = new UUID(0, 0);

  private final ReadExecutor reads;
  private final WideReads wide;

  public PostgresLimitReads(ReadExecutor reads, WideReads wide) {
    this.reads = reads;
    this.wide = wide;
  }

  private static String text(String statement) {
    return statement
        .replace(":admitted", ADMITTED)
        .replace(":waiting", LineReads.IS_WAITING)
        .replace(":here", MovedWorkspaces.excluded("l"))
        .replace(":counted", Integer.toString(MOST_COUNTED));
  }

  /** What is known of the limits that a statement names. */
  private static String state(String names) {
    return text(
        """
        SELECT k.name, k.key, k.of_definitions,
          l.max_running AS declared, l.max_starts AS starts, l.per AS starts_per, l.due_at,
          (SELECT count(*) FROM hapax.slot s, :admitted WHERE s.workspace = l.workspace AND s.hash = l.hash) AS running,
          (SELECT count(*) FROM (SELECT FROM hapax.place p, :waiting
            WHERE p.workspace = l.workspace AND p.hash = l.hash LIMIT :counted) c) AS waiting,
          (SELECT p.turn FROM hapax.place p, :waiting
            WHERE p.workspace = l.workspace AND p.hash = l.hash ORDER BY p.turn LIMIT 1) AS oldest,
          o.max_running, o.max_starts, o.per, o.set_at, o.set_by, o.set_by_principal, o.reason,
          a.max_running AS of_all, a.max_starts AS starts_of_all, a.per AS per_of_all
        FROM (:names) k
        LEFT JOIN hapax.limit_line l ON l.workspace = ? AND l.name = k.name AND l.key = k.key
          AND l.of_definitions = k.of_definitions
        LEFT JOIN hapax.limit_setting o ON o.workspace = ? AND o.name = k.name AND o.key = k.key
          AND o.of_definitions = k.of_definitions AND (o.max_running IS NOT NULL OR o.max_starts IS NOT NULL)
        LEFT JOIN hapax.limit_setting a ON a.workspace = ? AND a.name = k.name AND a.key = ''
          AND a.of_definitions = k.of_definitions
        ORDER BY k.name, k.key, k.of_definitions
        """
            .replace(":names", names));
  }

  @Override
  public CompletableFuture<Optional<Found>> find(LimitKey key) {
    var workspace = key.workspace().name();
    return reads.submit(
        key.workspace(),
        session ->
            found(
                    session,
                    key.workspace(),
                    FIND,
                    List.of(
                        key.name(),
                        key.value(),
                        key.ofDefinitions(),
                        workspace,
                        workspace,
                        workspace))
                .stream()
                .filter(found -> found.declared().isPresent() || found.own().isPresent())
                .findFirst());
  }

  @Override
  public CompletableFuture<Integer> ahead(LimitKey key, long turn) {
    return reads.submit(
        key.workspace(),
        session -> {
          var counts = new ArrayList<Integer>(1);
          var pipeline = session.pipeline();
          pipeline.query(
              AHEAD,
              List.of(key.workspace().name(), key.id().hash(), turn),
              row -> counts.add(row.getInt(1)));
          pipeline.run();
          return counts.getFirst();
        });
  }

  @Override
  public CompletableFuture<Page<Found, LimitKey>> list(Query query) {
    return reads.submit(query.workspace(), session -> list(session, query));
  }

  private static Page<Found, LimitKey> list(ReadSession session, Query query) throws SQLException {
    var workspace = query.workspace().name();
    var name = query.name().orElse("");
    var names =
        List.<Object>of(
            workspace,
            query.after().map(LimitKey::name).orElse(""),
            query.after().map(LimitKey::value).orElse(""),
            query.after().filter(LimitKey::ofDefinitions).isPresent(),
            name,
            name,
            query.size() + 1);
    var parameters = new ArrayList<Object>(names);
    parameters.addAll(names);
    parameters.addAll(List.of(query.size() + 1, workspace, workspace, workspace));
    var found = found(session, query.workspace(), LIST, parameters);
    var page = found.stream().limit(query.size()).toList();
    return new Page<>(
        page, found.size() > page.size() ? Optional.of(page.getLast().key()) : Optional.empty());
  }

  private static List<Found> found(
      ReadSession session, Workspace workspace, String select, List<?> parameters)
      throws SQLException {
    var limits = new ArrayList<Found>();
    var pipeline = session.pipeline();
    pipeline.query(select, parameters, found -> limits.add(found(workspace, found)));
    pipeline.run();
    return limits;
  }

  private static Found found(Workspace workspace, ResultSet found) throws SQLException {
    var row = new Row(found);
    var oldest = row.optionalNumber(OLDEST);
    return new Found(
        key(workspace, row),
        declared(row),
        row.integer(RUNNING),
        row.integer(WAITING),
        oldest.map(Micros::instant),
        oldest.isPresent() ? row.optionalInstant(LIMIT_LINE.DUE_AT) : Optional.empty(),
        new Numbers(
            LimitSettingTable.number(row, OF_ALL),
            LimitLineTable.rate(row, STARTS_OF_ALL, PER_OF_ALL)),
        row.optionalInstant(LIMIT_SETTING.SET_AT).isPresent()
            ? Optional.of(LimitSettingTable.read(found))
            : Optional.empty());
  }

  private static LimitKey key(Workspace workspace, Row row) throws SQLException {
    return new LimitKey(
        workspace,
        row.flag(LIMIT_LINE.OF_DEFINITIONS),
        row.text(LIMIT_LINE.NAME),
        row.text(LIMIT_LINE.KEY));
  }

  private static Optional<Numbers> declared(Row row) throws SQLException {
    var max = row.optionalNumber(DECLARED);
    return max.isPresent()
        ? Optional.of(
            Numbers.of(Math.toIntExact(max.get()), LimitLineTable.rate(row, STARTS, STARTS_PER)))
        : Optional.empty();
  }

  @Override
  public CompletableFuture<List<Due>> due(Duration ahead, int atMost) {
    return wide.submit(
        session -> {
          var due = new ArrayList<Due>();
          var pipeline = session.pipeline();
          pipeline.query(
              DUE,
              List.of(Micros.of(ahead), atMost),
              found -> {
                var row = new Row(found);
                var key = key(new Workspace(row.text(LIMIT_LINE.WORKSPACE)), row);
                due.add(new Due(key, Micros.duration(row.number(IN))));
              });
          pipeline.run();
          return due;
        });
  }

  @Override
  public CompletableFuture<Boolean> hasPlaces() {
    return wide.submit(
        session -> {
          var found = new ArrayList<Boolean>(1);
          var pipeline = session.pipeline();
          pipeline.query(ANY_PLACE, List.of(), _ -> found.add(true));
          pipeline.run();
          return !found.isEmpty();
        });
  }

  @Override
  public CompletableFuture<Page<LimitKey, LineId>> free(Optional<LineId> after, int searched) {
    return wide.submit(session -> free(session, after, searched));
  }

  private static Page<LimitKey, LineId> free(
      ReadSession session, Optional<LineId> after, int searched) throws SQLException {
    var lines = new ArrayList<LineId>();
    var free = new ArrayList<LimitKey>();
    IndexScan.query(
        session,
        FREE,
        List.of(
            after.map(last -> last.workspace().name()).orElse(""),
            after.map(LineId::hash).orElse(NIL),
            searched),
        found -> {
          var row = new Row(found);
          var workspace = new Workspace(row.text(PLACE.WORKSPACE));
          lines.add(new LineId(workspace, row.uuid(PLACE.HASH)));
          if (row.flag(IS_FREE)) {
            free.add(key(workspace, row));
          }
        });
    return new Page<>(
        free, lines.size() < searched ? Optional.empty() : Optional.of(lines.getLast()));
  }
}
