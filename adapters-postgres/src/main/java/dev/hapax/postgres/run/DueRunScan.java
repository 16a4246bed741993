package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Due;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.ScanStart;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Finds the runs of all workspaces that are due for the server, by partial indexes. */
final class DueRunScan {
  private static final Field<OffsetDateTime> NOW =
      DSL.field("clock_timestamp()", OffsetDateTime.class).as("now");

  /**
   * Held tasks are a select of their own: many renewed leases must not hide the timers behind them.
   * So are deadlines, which runs have in any phase.
   */
  private static final String DUE =
      "(%s) UNION ALL (%s) UNION ALL (%s)"
          .formatted(
              RenderedSql.text(due(RUN.PHASE.ne(DSL.inline(RunRows.HELD)))),
              RenderedSql.text(due(RUN.PHASE.eq(DSL.inline(RunRows.HELD)))),
              RenderedSql.text(missed()));

  private DueRunScan() {}

  private static Select<?> due(Condition phase) {
    return DSL.select(RUN.WORKSPACE, RUN.ID, dueAt().as(RUN.DUE_AT), NOW)
        .from(RUN)
        .where(
            RUN.QUEUE.isNull(),
            RUN.DUE_AT.lt(ahead()),
            ReadyRunQuery.isWithin(),
            phase,
            MovedWorkspaces.excluded(RUN))
        .orderBy(DSL.field("run.due_at"))
        .limit(DSL.val(0));
  }

  private static Select<?> missed() {
    return DSL.select(RUN.WORKSPACE, RUN.ID, RUN.DEADLINE_AT.as(RUN.DUE_AT), NOW)
        .from(RUN)
        .where(
            RUN.DEADLINE_AT.lt(ahead()),
            ScanStart.isWithin(RUN.DEADLINE_AT, DSL.val(0L)),
            RUN.PHASE.lt(DSL.inline(RunRows.COMPLETED)),
            MovedWorkspaces.excluded(RUN))
        .orderBy(DSL.field("run.deadline_at"))
        .limit(DSL.val(0));
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

  static List<Due> due(ReadSession session, Duration ahead, Optional<Duration> back, int atMost)
      throws SQLException {
    var due = new ArrayList<Due>();
    var limits = List.of(Micros.of(ahead), ScanStart.micros(back), atMost);
    var pipeline = session.pipeline();
    pipeline.query(
        DUE,
        Stream.of(limits, limits, limits).<Object>flatMap(List::stream).toList(),
        found -> {
          var row = new Row(found);
          due.add(
              new Due(
                  new RunId(new Workspace(row.text(RUN.WORKSPACE)), row.uuid(RUN.ID)),
                  Duration.between(row.instant(NOW), row.instant(RUN.DUE_AT))));
        });
    pipeline.runPlannedAnew();
    due.sort(Comparator.comparing(Due::in));
    var soonest = new LinkedHashMap<RunId, Due>();
    due.forEach(each -> soonest.putIfAbsent(each.run(), each));
    return soonest.values().stream().limit(atMost).toList();
  }
}
