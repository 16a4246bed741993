package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Queue;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.ScanStart;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Finds runs that are ready for workers, by a partial index. */
final class ReadyRunQuery {
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

  private static final UnnestRows<Queue> QUEUES =
      new UnnestRows<>(
          "q",
          List.of(
              new Column<>(RUN.WORKSPACE.getName(), Kind.TEXT, queue -> queue.workspace().name()),
              new Column<>(RUN.QUEUE.getName(), Kind.TEXT, Queue::name)));

  private static final String READY_QUEUES = RenderedSql.text(readyQueues());

  private ReadyRunQuery() {}

  /** Takes one parameter: how long ago at most, in microseconds. */
  static Condition isWithin() {
    return ScanStart.isWithin(RUN.DUE_AT, DSL.val(0L));
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
  static Set<Queue> ready(ReadSession session, List<Queue> queues, Optional<Duration> back)
      throws SQLException {
    var ready = new HashSet<Queue>();
    var pipeline = session.pipeline();
    var parameters = QUEUES.parameters(queues);
    parameters.add(ScanStart.micros(back));
    pipeline.query(READY_QUEUES, parameters, row -> ready.add(queues.get(row.getInt(1) - 1)));
    pipeline.runPlannedAnew();
    return ready;
  }

  static List<RunId> ready(
      ReadSession session, Workspace workspace, String queue, Optional<Duration> back, int atMost)
      throws SQLException {
    var ids = new ArrayList<RunId>();
    IndexScan.query(
        session,
        READY,
        List.of(workspace.name(), queue, ScanStart.micros(back), atMost),
        row -> ids.add(new RunId(workspace, new Row(row).uuid(RUN.ID))));
    return ids;
  }
}
