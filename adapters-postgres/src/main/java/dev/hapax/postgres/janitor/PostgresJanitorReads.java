package dev.hapax.postgres.janitor;

import static dev.hapax.postgres.schema.Tables.JANITOR;
import static dev.hapax.postgres.schema.Tables.JANITOR_ROUND;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.GroupedReads;
import dev.hapax.postgres.read.NamePages;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.WideReads;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectOnConditionStep;
import org.jooq.impl.DSL;

/** Reads janitors. */
public final class PostgresJanitorReads implements JanitorReads {
  private static final Field<OffsetDateTime> NOW = DSL.field(DSL.name("now"), OffsetDateTime.class);

  private static final String FIND =
      RenderedSql.text(
          select().where(JANITOR.WORKSPACE.eq((String) null), JANITOR.MODULE.eq((String) null)));

  private static final String ALL =
      RenderedSql.text(
          select()
              .where(MovedWorkspaces.excluded(JANITOR))
              .orderBy(JANITOR.WORKSPACE, JANITOR.MODULE));

  private static final String COUNT =
      NamePages.count(JANITOR, JANITOR.WORKSPACE, MAX_PER_WORKSPACE);

  private final ReadExecutor reads;
  private final WideReads wide;
  private final GroupedReads<JanitorId, Janitor> janitors;

  public PostgresJanitorReads(ReadExecutor reads, WideReads wide) {
    this.reads = reads;
    this.wide = wide;
    this.janitors = new GroupedReads<>(reads, JanitorId::workspace, PostgresJanitorReads::find);
  }

  private static SelectOnConditionStep<Record> select() {
    return DSL.select(JANITOR.fields())
        .select(RoundTable.LOADED)
        .select(DSL.field("clock_timestamp()", OffsetDateTime.class).as(NOW))
        .from(JANITOR)
        .leftJoin(JANITOR_ROUND)
        .on(JANITOR_ROUND.WORKSPACE.eq(JANITOR.WORKSPACE), JANITOR_ROUND.MODULE.eq(JANITOR.MODULE));
  }

  @Override
  public CompletableFuture<Optional<Janitor>> find(JanitorId id) {
    return janitors.find(id);
  }

  /** Finds janitors, one round trip for all: thousands of polls read the same one. */
  private static Map<JanitorId, Janitor> find(ReadSession session, List<JanitorId> ids)
      throws SQLException {
    var found = new HashMap<JanitorId, Janitor>();
    var pipeline = session.pipeline();
    for (var id : ids) {
      pipeline.query(
          FIND,
          List.of(id.workspace().name(), id.module()),
          row -> found.put(id, JanitorColumns.read(id, row)));
    }
    pipeline.run();
    return found;
  }

  @Override
  public CompletableFuture<List<JanitorStatus>> list() {
    return wide.submit(session -> read(session, ALL, List.of()));
  }

  @Override
  public CompletableFuture<Page<JanitorStatus, String>> list(
      Workspace workspace, int size, Optional<String> after) {
    return reads.submit(
        workspace,
        session ->
            NamePages.page(
                session,
                select().where(JANITOR.WORKSPACE.eq(workspace.name())),
                JANITOR.MODULE,
                List.of(JANITOR.CONTRACT, JANITOR.DEMANDS),
                size,
                after,
                PostgresJanitorReads::watched,
                watched -> watched.id().module()));
  }

  @Override
  public CompletableFuture<Integer> count(Workspace workspace) {
    return reads.submit(workspace, session -> NamePages.count(session, COUNT, workspace));
  }

  private static List<JanitorStatus> read(ReadSession session, String select, List<?> values)
      throws SQLException {
    var found = new ArrayList<JanitorStatus>();
    var pipeline = session.pipeline();
    pipeline.query(select, values, row -> found.add(watched(new Row(row), row)));
    pipeline.run();
    return found;
  }

  private static JanitorStatus watched(Row row, ResultSet found) throws SQLException {
    var workspace = new Workspace(row.text(JANITOR.WORKSPACE));
    var id = new JanitorId(workspace, row.text(JANITOR.MODULE));
    return new JanitorStatus(id, JanitorColumns.read(id, found), last(row), row.instant(NOW));
  }

  private static Optional<SweepRound> last(Row row) throws SQLException {
    return row.optionalInstant(JANITOR_ROUND.AT).isPresent()
        ? Optional.of(RoundTable.read(row))
        : Optional.empty();
  }
}
