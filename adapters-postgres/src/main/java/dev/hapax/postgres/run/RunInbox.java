package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;
import static dev.hapax.postgres.schema.Tables.RUN_SIGNAL;

import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Received;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;

/** Reads the signals that a worker gets with its task. */
final class RunInbox {
  private static final String INBOX = RenderedSql.text(signals(DSL.noCondition()));
  private static final String FIRST_OF_TYPE =
      RenderedSql.text(signals(RUN_SIGNAL.TYPE.eq((String) null)));
  private static final String FIRST_OF_HOOK_NAME =
      RenderedSql.text(signals(RUN_SIGNAL.HOOK_NAME.eq((String) null)));

  private static final String FIRST_OF_HOOK_NAME_AND_TYPE =
      RenderedSql.text(
          signals(RUN_SIGNAL.HOOK_NAME.eq((String) null).and(RUN_SIGNAL.TYPE.eq((String) null))));

  /** The fingerprint of a token is the first half of its hash. */
  private static final String FIRST_OF_HOOK =
      RenderedSql.text(
          signals(RUN_SIGNAL.HOOK.ge((UUID) null).and(RUN_SIGNAL.HOOK.le((UUID) null))));

  private static final String WAKING =
      RenderedSql.text(signals(RUN_SIGNAL.ID.eq(DSL.field(waking()))));

  private final ReadSession session;
  private final RunId id;

  RunInbox(ReadSession session, RunId id) {
    this.session = session;
    this.id = id;
  }

  private static Select<?> signals(Condition which) {
    var signal =
        DSL.select(RUN_SIGNAL.WORKSPACE, RUN_SIGNAL.RUN_ID, RUN_SIGNAL.VERSION, RUN_SIGNAL.ID)
            .select(RUN_SIGNAL.TYPE.as(RUN_EVENT.SIGNAL), RUN_SIGNAL.HOOK, RUN_SIGNAL.HOOK_NAME)
            .from(RUN_SIGNAL)
            .where(
                RUN_SIGNAL.WORKSPACE.eq((String) null),
                RUN_SIGNAL.RUN_ID.eq((UUID) null),
                DSL.condition(RUN_SIGNAL.CONSUMED).not(),
                which)
            .orderBy(RUN_SIGNAL.VERSION)
            .limit(DSL.val(0))
            .asTable("s");
    return withEvents(
        signal, List.of(RUN_SIGNAL.ID, RUN_EVENT.SIGNAL, RUN_SIGNAL.HOOK, RUN_SIGNAL.HOOK_NAME));
  }

  /** The id of the signal that resumed a step last. */
  private static Select<Record1<String>> waking() {
    return DSL.select(RUN_EVENT.NAME)
        .from(RUN_EVENT)
        .where(
            RUN_EVENT.WORKSPACE.eq((String) null),
            RUN_EVENT.RUN_ID.eq((UUID) null),
            RUN_EVENT.STEP.eq((Integer) null),
            EventType.isOneOf(EventType.STEP_RESUMED))
        .orderBy(RUN_EVENT.VERSION.desc())
        .limit(DSL.inline(1));
  }

  /** Joins rows with the payloads of their events. */
  private static Select<?> withEvents(Table<?> which, List<Field<?>> fields) {
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

  Optional<Received> waking(int step) throws SQLException {
    return first(WAKING, id.workspace().name(), id.uuid(), step).stream().findFirst();
  }

  Optional<Received> firstOf(SignalFilter filter) throws SQLException {
    var found =
        switch (filter) {
          case SignalFilter.Any() -> inbox(1);
          case SignalFilter.OfType(var type) -> first(FIRST_OF_TYPE, type);
          case SignalFilter.OfHookName(var name, var type) ->
              type.isPresent()
                  ? first(FIRST_OF_HOOK_NAME_AND_TYPE, name, type.get())
                  : first(FIRST_OF_HOOK_NAME, name);
          case SignalFilter.OfHook(var hook) -> {
            var half = Long.parseUnsignedLong(hook.text(), 16);
            yield first(FIRST_OF_HOOK, new UUID(half, 0), new UUID(half, -1));
          }
        };
    return found.stream().findFirst();
  }

  private List<Received> first(String select, Object... which) throws SQLException {
    var parameters = new ArrayList<Object>(List.of(id.workspace().name(), id.uuid()));
    parameters.addAll(List.of(which));
    parameters.add(1);
    return signals(select, parameters);
  }

  private List<Received> signals(String select, List<?> parameters) throws SQLException {
    var signals = new ArrayList<Received>();
    var pipeline = session.pipeline();
    pipeline.query(
        select,
        parameters,
        found -> {
          var row = new Row(found);
          signals.add(
              new Received(
                  row.text(RUN_SIGNAL.ID),
                  row.text(RUN_EVENT.SIGNAL),
                  SourceColumns.source(row, RUN_SIGNAL.HOOK, RUN_SIGNAL.HOOK_NAME),
                  RunEventRows.payload(row),
                  row.instant(RUN_EVENT.AT)));
        });
    pipeline.run();
    return signals;
  }
}
