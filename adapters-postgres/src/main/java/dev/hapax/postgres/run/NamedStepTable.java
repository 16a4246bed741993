package dev.hapax.postgres.run;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.RUN_EVENT;
import static dev.hapax.postgres.schema.Tables.RUN_STEP;

import dev.hapax.domain.run.NamedStep;
import dev.hapax.domain.run.NamedStepId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
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
 * The table {@code run_step}; the output is that of the event. Rivals lock the run, as with
 * signals. A row never changes.
 */
public final class NamedStepTable {
  private static final UnnestRows<NamedStepId> KEYS = new UnnestRows<>("k", key(id -> id));
  private static final String FIND = RenderedSql.text(find());

  private static final UnnestRows<Write<NamedStepId, NamedStep>> WRITTEN =
      new UnnestRows<>("u", key(Write<NamedStepId, NamedStep>::key))
          .with(List.of(column(RUN_STEP.VERSION, Kind.LONG, NamedStep::version)));

  /** By run first: the first run that is loaded always has its first step loaded. */
  private static final Comparator<NamedStepId> ORDER =
      Comparator.comparing(NamedStepId::run, RunTable.ORDER)
          .thenComparingInt(NamedStepId::step)
          .thenComparing(NamedStepId::name);

  private NamedStepTable() {}

  /** Returns the table. */
  public static RecordTable<NamedStepId, NamedStep> create() {
    return new SimpleTable<>(
        NamedStepId.class,
        ORDER,
        RowLoad.bounded(KEYS, FIND, NamedStepTable::read),
        RowWrites.once(RUN_STEP, WRITTEN));
  }

  private static <R> List<Column<R>> key(Function<R, NamedStepId> id) {
    return RunColumns.concat(
        RunColumns.key(RUN_STEP.RUN_ID, row -> id.apply(row).run()),
        List.of(
            new Column<>(RUN_STEP.STEP.getName(), Kind.INT, row -> id.apply(row).step()),
            new Column<>(RUN_STEP.NAME.getName(), Kind.TEXT, row -> id.apply(row).name())));
  }

  private static Select<?> find() {
    var step =
        DSL.select(RUN_STEP.VERSION)
            .from(RUN_STEP)
            .where(
                RUN_STEP.WORKSPACE.eq(KEYS.get(RUN_STEP.WORKSPACE)),
                RUN_STEP.RUN_ID.eq(KEYS.get(RUN_STEP.RUN_ID)),
                RUN_STEP.STEP.eq(KEYS.get(RUN_STEP.STEP)),
                RUN_STEP.NAME.eq(KEYS.get(RUN_STEP.NAME)))
            .limit(DSL.inline(1))
            .asTable("s");
    var event =
        DSL.select(RUN_EVENT.WORKSPACE, RUN_EVENT.VERSION, RUN_EVENT.NONCE)
            .select(RUN_EVENT.JSON, RUN_EVENT.BYTES)
            .from(RUN_EVENT)
            .where(
                RUN_EVENT.WORKSPACE.eq(KEYS.get(RUN_STEP.WORKSPACE)),
                RUN_EVENT.RUN_ID.eq(KEYS.get(RUN_STEP.RUN_ID)),
                RUN_EVENT.VERSION.eq(step.field(RUN_STEP.VERSION)))
            .limit(DSL.inline(1))
            .asTable("e");
    return SizeBoundedSelect.of(
        DSL.select(KEYS.number())
            .select(event.fields())
            .from(KEYS.table(), DSL.lateral(step), DSL.lateral(event)),
        KEYS.number(),
        List.of(RUN_EVENT.JSON, RUN_EVENT.BYTES));
  }

  private static NamedStep read(NamedStepId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new NamedStep(
        row.number(RUN_EVENT.VERSION),
        RunEventRows.nonce(row),
        RunEventRows.payload(row).orElseThrow());
  }
}
