package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;
import static dev.hapax.postgres.schema.Tables.RUN_SIGNAL;
import static dev.hapax.postgres.schema.Tables.RUN_STEP;

import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Received;
import dev.hapax.domain.run.RunReads.Recorded;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.Sql;
import dev.hapax.postgres.read.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;

/** Reads of what a worker gets with its task: signals and steps that code has named. */
final class RunInbox {
  private static final String INBOX = Sql.text(signals(DSL.noCondition()));
  private static final String FIRST_OF = Sql.text(signals(RUN_SIGNAL.TYPE.eq((String) null)));
  private static final String RECORDED = Sql.text(recorded());

  private final Connection connection;
  private final RunId id;

  RunInbox(Connection connection, RunId id) {
    this.connection = connection;
    this.id = id;
  }

  private static Select<?> signals(Condition which) {
    var signal =
        DSL.select(RUN_SIGNAL.WORKSPACE, RUN_SIGNAL.RUN_ID, RUN_SIGNAL.VERSION, RUN_SIGNAL.ID)
            .select(RUN_SIGNAL.TYPE.as(RUN_EVENT.SIGNAL))
            .from(RUN_SIGNAL)
            .where(
                RUN_SIGNAL.WORKSPACE.eq((String) null),
                RUN_SIGNAL.RUN_ID.eq((UUID) null),
                DSL.condition(RUN_SIGNAL.CONSUMED).not(),
                which)
            .orderBy(RUN_SIGNAL.VERSION)
            .limit(DSL.val(0))
            .asTable("s");
    return told(signal, List.of(RUN_SIGNAL.ID, RUN_EVENT.SIGNAL));
  }

  private static Select<?> recorded() {
    var step =
        DSL.select(RUN_STEP.WORKSPACE, RUN_STEP.RUN_ID, RUN_STEP.VERSION, RUN_STEP.NAME)
            .from(RUN_STEP)
            .where(
                RUN_STEP.WORKSPACE.eq((String) null),
                RUN_STEP.RUN_ID.eq((UUID) null),
                RUN_STEP.STEP.eq((Integer) null))
            .orderBy(RUN_STEP.VERSION)
            .limit(DSL.val(0))
            .asTable("s");
    return told(step, List.of(RUN_STEP.NAME));
  }

  /** With what the events of these versions hold. */
  private static Select<?> told(Table<?> which, List<Field<?>> fields) {
    var event =
        DSL.select(RUN_EVENT.AT, RUN_EVENT.JSON, RUN_EVENT.BYTES)
            .from(RUN_EVENT)
            .where(
                RUN_EVENT.WORKSPACE.eq(which.field(RUN_EVENT.WORKSPACE)),
                RUN_EVENT.RUN_ID.eq(which.field(RUN_EVENT.RUN_ID)),
                RUN_EVENT.VERSION.eq(which.field(RUN_EVENT.VERSION)))
            .limit(DSL.inline(1))
            .asTable("e");
    return DSL.select(fields.stream().map(which::field).toList())
        .select(event.fields())
        .from(which, DSL.lateral(event))
        .orderBy(which.field(RUN_EVENT.VERSION));
  }

  List<Received> inbox(int atMost) throws SQLException {
    return signals(INBOX, List.of(id.workspace().name(), id.uuid(), atMost));
  }

  Optional<Received> firstOf(String type) throws SQLException {
    var found =
        type.isEmpty()
            ? inbox(1)
            : signals(FIRST_OF, List.of(id.workspace().name(), id.uuid(), type, 1));
    return found.stream().findFirst();
  }

  private List<Received> signals(String select, List<?> parameters) throws SQLException {
    var signals = new ArrayList<Received>();
    var pipeline = new Pipeline(connection);
    pipeline.query(
        select,
        parameters,
        found -> {
          var row = new Row(found);
          signals.add(
              new Received(
                  row.text(RUN_SIGNAL.ID),
                  row.text(RUN_EVENT.SIGNAL),
                  EventRows.payload(row),
                  row.instant(RUN_EVENT.AT)));
        });
    pipeline.run();
    return signals;
  }

  List<Recorded> recorded(int step, int atMost) throws SQLException {
    var steps = new ArrayList<Recorded>();
    var pipeline = new Pipeline(connection);
    pipeline.query(
        RECORDED,
        List.of(id.workspace().name(), id.uuid(), step, atMost),
        found -> {
          var row = new Row(found);
          steps.add(new Recorded(row.text(RUN_STEP.NAME), EventRows.payload(row).orElseThrow()));
        });
    pipeline.run();
    return steps;
  }
}
