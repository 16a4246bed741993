package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Due;
import dev.hapax.domain.run.RunReads.Queue;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.ScanStart;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * Finds runs that are ready for workers or due for the server, by partial indexes. An idle server
 * sends one statement for each of them.
 */
final class DueRunQuery {
  private static final String READY =
      RenderedSql.text(
          DSL.select(RUN.ID)
              .from(RUN)
              .where(
                  RUN.WORKSPACE.eq((String) null),
                  RUN.QUEUE.eq((String) null),
                  RUN.DUE_AT.le(DSL.currentOffsetDateTime()),
                  isWithin())
              .orderBy(RUN.DUE_AT)
              .limit(DSL.val(0)));

  private static final Field<OffsetDateTime> NOW =
      DSL.field("clock_timestamp()", OffsetDateTime.class).as("now");

  /**
   * Held tasks are a select of their own: many renewed leases must not hide the timers behind them.
   */
  private static final String DUE =
      "(%s) UNION ALL (%s)"
          .formatted(
              RenderedSql.text(due(RUN.PHASE.ne(DSL.inline(RunRows.HELD)))),
              RenderedSql.text(due(RUN.PHASE.eq(DSL.inline(RunRows.HELD)))));

  private static final UnnestRows<Queue> QUEUES =
      new UnnestRows<>(
          "q",
          List.of(
              new Column<>(RUN.WORKSPACE.getName(), Kind.TEXT, queue -> queue.workspace().name()),
              new Column<>(RUN.QUEUE.getName(), Kind.TEXT, Queue::name)));

  private static final String READY_QUEUES = RenderedSql.text(readyQueues());

  private DueRunQuery() {}

  private static Select<?> due(Condition phase) {
    return DSL.select(RUN.WORKSPACE, RUN.ID, dueAt().as(RUN.DUE_AT), NOW)
        .from(RUN)
        .where(RUN.QUEUE.isNull(), RUN.DUE_AT.lt(ahead()), isWithin(), phase)
        .orderBy(DSL.field("run.due_at"))
        .limit(DSL.val(0));
  }

  /** Takes one parameter: how long ago at most, in microseconds. */
  private static Condition isWithin() {
    return ScanStart.isWithin(RUN.DUE_AT, DSL.val(0L));
  }

  /** The due time; the lease of a held task may have been renewed since the index got its entry. */
  private static Field<OffsetDateTime> dueAt() {
    return DSL.when(RUN.PHASE.eq(DSL.inline(RunRows.HELD)), RUN.UNTIL).otherwise(RUN.DUE_AT);
  }

  /** Takes one parameter: how far ahead, in microseconds. */
  private static Field<OffsetDateTime> ahead() {
    return DSL.field(
        "current_timestamp + {0} * interval '1 microsecond'", OffsetDateTime.class, DSL.val(0L));
  }

  private static Select<?> readyQueues() {
    var run =
        DSL.select(RUN.ID)
            .from(RUN)
            .where(
                RUN.WORKSPACE.eq(QUEUES.get(RUN.WORKSPACE)),
                RUN.QUEUE.eq(QUEUES.get(RUN.QUEUE)),
                RUN.DUE_AT.le(DSL.currentOffsetDateTime()),
                isWithin())
            // without an order the planner would prefer a scan of the table
            .orderBy(RUN.DUE_AT)
            .limit(DSL.inline(1))
            .asTable("r");
    return DSL.select(QUEUES.number()).from(QUEUES.table(), DSL.lateral(run));
  }

  /** Returns the queues that have ready tasks. */
  static Set<Queue> ready(Connection connection, List<Queue> queues, Optional<Duration> back)
      throws SQLException {
    var ready = new HashSet<Queue>();
    var pipeline = new Pipeline(connection);
    var parameters = QUEUES.parameters(queues);
    parameters.add(ScanStart.micros(back));
    pipeline.query(READY_QUEUES, parameters, row -> ready.add(queues.get(row.getInt(1) - 1)));
    pipeline.runPlannedAnew();
    return ready;
  }

  static List<RunId> ready(
      Connection connection, Workspace workspace, String queue, Optional<Duration> back, int atMost)
      throws SQLException {
    var ids = new ArrayList<RunId>();
    IndexScan.query(
        connection,
        READY,
        List.of(workspace.name(), queue, ScanStart.micros(back), atMost),
        row -> ids.add(new RunId(workspace, new Row(row).uuid(RUN.ID))));
    return ids;
  }

  static List<Due> due(Connection connection, Duration ahead, Optional<Duration> back, int atMost)
      throws SQLException {
    var due = new ArrayList<Due>();
    var pipeline = new Pipeline(connection);
    pipeline.query(
        DUE,
        List.of(
            Micros.of(ahead),
            ScanStart.micros(back),
            atMost,
            Micros.of(ahead),
            ScanStart.micros(back),
            atMost),
        found -> {
          var row = new Row(found);
          due.add(
              new Due(
                  new RunId(new Workspace(row.text(RUN.WORKSPACE)), row.uuid(RUN.ID)),
                  Duration.between(row.instant(NOW), row.instant(RUN.DUE_AT))));
        });
    pipeline.runPlannedAnew();
    due.sort(Comparator.comparing(Due::in));
    return due.subList(0, Math.min(atMost, due.size()));
  }
}
