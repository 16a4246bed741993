package dev.hapax.postgres.run;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.RUN_EVENT;
import static dev.hapax.postgres.schema.Tables.RUN_STEP;

import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartTraits;
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
import java.util.function.Predicate;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code run_step}, with a row for each part; its output or failure is that of the event
 * that changed it last. Rivals lock the run, as with signals.
 */
public final class PartTable {
  private static final UnnestRows<PartId> KEYS = new UnnestRows<>("k", key(id -> id));
  private static final String FIND = RenderedSql.text(find());

  private static final UnnestRows<Write<PartId, Part>> WRITTEN =
      new UnnestRows<>("u", key(Write<PartId, Part>::key))
          .with(
              List.of(
                  column(RUN_STEP.VERSION, Kind.LONG, Part::version),
                  column(RUN_STEP.STATE, Kind.SHORT, PartColumns::state),
                  column(RUN_STEP.ATTEMPTS, Kind.INT, PartColumns::attempts),
                  column(RUN_STEP.SINCE, Kind.INSTANT, PartColumns::since),
                  column(RUN_STEP.DUE_AT, Kind.INSTANT, PartColumns::dueAt),
                  column(
                      RUN_STEP.OVERLAPPED, Kind.BOOL, part -> flag(part, PartTraits::overlapped)),
                  column(RUN_STEP.IS_WAIT, Kind.BOOL, part -> flag(part, PartTraits::isWait))));

  private static final String UPDATE =
      RenderedSql.replace(
          RUN_STEP,
          WRITTEN,
          List.of(RUN_STEP.WORKSPACE, RUN_STEP.RUN_ID, RUN_STEP.STEP, RUN_STEP.NAME),
          RUN_STEP.VERSION.lt(WRITTEN.get(RUN_STEP.VERSION)));

  /** By run first: the first run that is loaded always has its first part loaded. */
  private static final Comparator<PartId> ORDER =
      Comparator.comparing(PartId::run, RunTable.ORDER)
          .thenComparingInt(PartId::step)
          .thenComparing(PartId::name);

  private PartTable() {}

  /** Returns the table. */
  public static RecordTable<PartId, Part> create() {
    return new SimpleTable<>(
        PartId.class,
        ORDER,
        RowLoad.bounded(KEYS, FIND, PartTable::read),
        RowWrites.of(RUN_STEP, WRITTEN, UPDATE));
  }

  /** True or null: nearly no part has a trait. */
  private static @Nullable Object flag(Part part, Predicate<PartTraits> trait) {
    var has = part instanceof Part.Completed done && trait.test(done.traits());
    return has ? Boolean.TRUE : null;
  }

  private static <R> List<Column<R>> key(Function<R, PartId> id) {
    return RunColumns.concat(
        RunColumns.key(RUN_STEP.RUN_ID, row -> id.apply(row).run()),
        List.of(
            new Column<>(RUN_STEP.STEP.getName(), Kind.INT, row -> id.apply(row).step()),
            new Column<>(RUN_STEP.NAME.getName(), Kind.TEXT, row -> id.apply(row).name())));
  }

  private static Select<?> find() {
    var step =
        DSL.select(RUN_STEP.VERSION, RUN_STEP.STATE, RUN_STEP.ATTEMPTS)
            .select(RUN_STEP.SINCE, RUN_STEP.DUE_AT, RUN_STEP.OVERLAPPED, RUN_STEP.IS_WAIT)
            .from(RUN_STEP)
            .where(
                RUN_STEP.WORKSPACE.eq(KEYS.get(RUN_STEP.WORKSPACE)),
                RUN_STEP.RUN_ID.eq(KEYS.get(RUN_STEP.RUN_ID)),
                RUN_STEP.STEP.eq(KEYS.get(RUN_STEP.STEP)),
                RUN_STEP.NAME.eq(KEYS.get(RUN_STEP.NAME)))
            .limit(DSL.inline(1))
            .asTable("s");
    var event =
        DSL.select(RUN_EVENT.WORKSPACE, RUN_EVENT.NONCE, RUN_EVENT.PART)
            .select(RUN_EVENT.FAILURE_CODE, RUN_EVENT.FAILURE_MESSAGE, RUN_EVENT.FAILURE_STACK)
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
            .select(step.fields())
            .select(event.fields())
            .from(KEYS.table(), DSL.lateral(step), DSL.lateral(event)),
        KEYS.number(),
        List.of(RUN_EVENT.JSON, RUN_EVENT.BYTES));
  }

  private static Part read(PartId id, ResultSet found) throws SQLException {
    return PartColumns.read(new Row(found));
  }
}
