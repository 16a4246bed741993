package dev.hapax.postgres.lifecycle;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.LIFECYCLE_VERSION;

import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** The table {@code lifecycle_version}. A row never changes, and needs no lock. */
public final class LifecycleVersionTable {
  private static final UnnestRows<LifecycleVersionId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<LifecycleVersionId, Lifecycle>> WRITTEN =
      new UnnestRows<>("u", key(Write<LifecycleVersionId, Lifecycle>::key))
          .with(List.of(column(LIFECYCLE_VERSION.DOCUMENT, Kind.TEXT, LifecycleJson::print)));

  private static final Comparator<LifecycleVersionId> ORDER =
      Comparator.comparing(LifecycleVersionId::lifecycle, LifecycleTable.ORDER)
          .thenComparingLong(LifecycleVersionId::version);

  private static final String FIND = RenderedSql.text(find());

  private LifecycleVersionTable() {}

  /** Returns the table. */
  public static RecordTable<LifecycleVersionId, Lifecycle> create() {
    return new SimpleTable<>(
        LifecycleVersionId.class,
        ORDER,
        RowLoad.bounded(KEYS, FIND, LifecycleVersionTable::read),
        RowWrites.once(LIFECYCLE_VERSION, WRITTEN));
  }

  private static <R> List<Column<R>> key(Function<R, LifecycleVersionId> id) {
    return List.of(
        new Column<>(
            LIFECYCLE_VERSION.WORKSPACE.getName(),
            Kind.TEXT,
            row -> id.apply(row).workspace().name()),
        new Column<>(
            LIFECYCLE_VERSION.NAME.getName(), Kind.TEXT, row -> id.apply(row).lifecycle().name()),
        new Column<>(
            LIFECYCLE_VERSION.VERSION.getName(), Kind.LONG, row -> id.apply(row).version()));
  }

  private static Select<?> find() {
    var row =
        DSL.select(LIFECYCLE_VERSION.WORKSPACE, LIFECYCLE_VERSION.DOCUMENT)
            .from(LIFECYCLE_VERSION)
            .where(
                LIFECYCLE_VERSION.WORKSPACE.eq(KEYS.get(LIFECYCLE_VERSION.WORKSPACE)),
                LIFECYCLE_VERSION.NAME.eq(KEYS.get(LIFECYCLE_VERSION.NAME)),
                LIFECYCLE_VERSION.VERSION.eq(KEYS.get(LIFECYCLE_VERSION.VERSION)))
            .limit(DSL.inline(1))
            .asTable("r");
    return SizeBoundedSelect.of(
        DSL.select(KEYS.number()).select(row.fields()).from(KEYS.table(), DSL.lateral(row)),
        KEYS.number(),
        List.of(LIFECYCLE_VERSION.DOCUMENT));
  }

  private static Lifecycle read(LifecycleVersionId id, ResultSet row) throws SQLException {
    return LifecycleJson.parse(row.getString(LIFECYCLE_VERSION.DOCUMENT.getName()));
  }
}
