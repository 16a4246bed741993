package dev.hapax.postgres.run;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.RUN_SIGNAL;

import dev.hapax.domain.SourceHook;
import dev.hapax.domain.run.Signal;
import dev.hapax.domain.run.SignalId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * The table {@code run_signal}. Its rows need no lock: a command that names a signal names its run,
 * too, which is locked before.
 */
public final class RunSignalTable {
  private static final UnnestRows<SignalId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<SignalId, Signal>> WRITTEN =
      new UnnestRows<>("u", key(Write<SignalId, Signal>::key))
          .with(
              List.of(
                  column(RUN_SIGNAL.VERSION, Kind.LONG, Signal::version),
                  column(RUN_SIGNAL.TYPE, Kind.TEXT, Signal::type),
                  column(
                      RUN_SIGNAL.HOOK,
                      Kind.UUID,
                      signal -> signal.hook().map(SourceHook::hash).orElse(null)),
                  column(
                      RUN_SIGNAL.HOOK_NAME, Kind.TEXT, signal -> SourceColumns.text(signal.hook())),
                  column(RUN_SIGNAL.CONSUMED, Kind.BOOL, Signal::consumed)));

  private static final String FIND = RenderedSql.text(find());

  /** What changes of a signal, with its version, which does not. */
  private static final UnnestRows<Write<SignalId, Signal>> CHANGED =
      new UnnestRows<>("u", key(Write<SignalId, Signal>::key))
          .with(
              List.of(
                  column(RUN_SIGNAL.VERSION, Kind.LONG, Signal::version),
                  column(RUN_SIGNAL.CONSUMED, Kind.BOOL, Signal::consumed)));

  private static final String UPDATE =
      RenderedSql.replace(
          RUN_SIGNAL,
          CHANGED,
          List.of(RUN_SIGNAL.WORKSPACE, RUN_SIGNAL.RUN_ID, RUN_SIGNAL.ID),
          RUN_SIGNAL.VERSION.eq(CHANGED.get(RUN_SIGNAL.VERSION)));

  private RunSignalTable() {}

  /** Returns the table. */
  public static RecordTable<SignalId, Signal> create() {
    return new SimpleTable<>(
        SignalId.class,
        Comparator.comparing(SignalId::run, RunTable.ORDER).thenComparing(SignalId::id),
        new RowLoad<>(KEYS, FIND, RunSignalTable::read),
        RowWrites.of(RUN_SIGNAL, WRITTEN, CHANGED, UPDATE));
  }

  private static <R> List<Column<R>> key(Function<R, SignalId> id) {
    return RunColumns.concat(
        RunColumns.key(RUN_SIGNAL.RUN_ID, row -> id.apply(row).run()),
        List.of(new Column<>(RUN_SIGNAL.ID.getName(), Kind.TEXT, row -> id.apply(row).id())));
  }

  private static Select<?> find() {
    var row =
        DSL.select(RUN_SIGNAL.WORKSPACE, RUN_SIGNAL.VERSION, RUN_SIGNAL.TYPE, RUN_SIGNAL.CONSUMED)
            .select(RUN_SIGNAL.HOOK, RUN_SIGNAL.HOOK_NAME)
            .from(RUN_SIGNAL)
            .where(
                RUN_SIGNAL.WORKSPACE.eq(KEYS.get(RUN_SIGNAL.WORKSPACE)),
                RUN_SIGNAL.RUN_ID.eq(KEYS.get(RUN_SIGNAL.RUN_ID)),
                RUN_SIGNAL.ID.eq(KEYS.get(RUN_SIGNAL.ID)))
            .limit(DSL.inline(1))
            .asTable("r");
    return DSL.select(KEYS.number()).select(row.fields()).from(KEYS.table(), DSL.lateral(row));
  }

  private static Signal read(SignalId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new Signal(
        row.number(RUN_SIGNAL.VERSION),
        row.text(RUN_SIGNAL.TYPE),
        SourceColumns.source(row, RUN_SIGNAL.HOOK, RUN_SIGNAL.HOOK_NAME),
        row.flag(RUN_SIGNAL.CONSUMED));
  }
}
