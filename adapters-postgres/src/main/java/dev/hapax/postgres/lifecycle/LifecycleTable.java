package dev.hapax.postgres.lifecycle;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.LIFECYCLE;

import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.KeyLocks;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SharedTable;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.StoredPrincipal;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.SelectConditionStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code lifecycle}: many commands read a row at once, and few change it. */
public final class LifecycleTable {
  static final Comparator<LifecycleId> ORDER =
      Comparator.comparing(LifecycleId::workspace).thenComparing(LifecycleId::name);

  private static final UnnestRows<LifecycleId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<LifecycleId, AppliedLifecycle>> WRITTEN =
      new UnnestRows<>("u", key(Write<LifecycleId, AppliedLifecycle>::key))
          .with(
              List.of(
                  column(LIFECYCLE.VERSION, Kind.LONG, AppliedLifecycle::version),
                  column(LIFECYCLE.APPLIED_AT, Kind.INSTANT, AppliedLifecycle::appliedAt),
                  column(LIFECYCLE.APPLIED_BY, Kind.TEXT, applied -> applied.by().actor()),
                  column(
                      LIFECYCLE.APPLIED_BY_PRINCIPAL,
                      Kind.TEXT,
                      applied -> StoredPrincipal.text(applied.by().principal())),
                  column(LIFECYCLE.REASON, Kind.TEXT, applied -> applied.by().reason()),
                  retiring(
                      LIFECYCLE.RETIRING,
                      Kind.TEXT,
                      r -> StoredJson.print(StoredJson.strings(List.copyOf(r.statuses())))),
                  retiring(LIFECYCLE.RETIRING_NONCE, Kind.LONG, Retirement::nonce),
                  retiring(LIFECYCLE.RETIRING_UNTIL, Kind.INSTANT, Retirement::until)));

  private static final String LOCK = RenderedSql.text(KEYS.each(select().forUpdate()));

  /** The limit keeps it from being planned as a join with the whole table. */
  private static final String READ = RenderedSql.text(KEYS.each(select().limit(DSL.inline(1))));

  private static final KeyLocks<LifecycleId> LOCKS =
      new KeyLocks<>(LIFECYCLE.getName(), id -> id.workspace().name() + "\0" + id.name());

  private static final String UPDATE =
      RenderedSql.replace(
          LIFECYCLE,
          WRITTEN,
          List.of(LIFECYCLE.WORKSPACE, LIFECYCLE.NAME),
          LIFECYCLE.VERSION.le(WRITTEN.get(LIFECYCLE.VERSION)));

  private LifecycleTable() {}

  /** Returns the table. */
  public static RecordTable<LifecycleId, AppliedLifecycle> create(LifecycleCache lifecycles) {
    var rows = new LifecycleRows(lifecycles);
    return new SharedTable<>(
        LifecycleId.class,
        ORDER,
        LOCKS,
        new RowLoad<>(KEYS, LOCK, rows::applied),
        new RowLoad<>(KEYS, READ, rows::applied),
        RowWrites.of(LIFECYCLE, WRITTEN, UPDATE));
  }

  private static Column<Write<LifecycleId, AppliedLifecycle>> retiring(
      Field<?> field, Kind kind, Function<Retirement, @Nullable Object> value) {
    return column(field, kind, applied -> applied.retiring().map(value).orElse(null));
  }

  private static <R> List<Column<R>> key(Function<R, LifecycleId> id) {
    return List.of(
        new Column<>(
            LIFECYCLE.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(LIFECYCLE.NAME.getName(), Kind.TEXT, row -> id.apply(row).name()));
  }

  private static SelectConditionStep<?> select() {
    return DSL.select(LIFECYCLE.WORKSPACE)
        .select(LifecycleRows.LOADED)
        .from(LIFECYCLE)
        .where(isLifecycle());
  }

  private static Condition isLifecycle() {
    return LIFECYCLE
        .WORKSPACE
        .eq(KEYS.get(LIFECYCLE.WORKSPACE))
        .and(LIFECYCLE.NAME.eq(KEYS.get(LIFECYCLE.NAME)));
  }
}
