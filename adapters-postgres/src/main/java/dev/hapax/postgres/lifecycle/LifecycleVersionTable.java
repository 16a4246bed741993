package dev.hapax.postgres.lifecycle;

import static dev.hapax.postgres.schema.Tables.LIFECYCLE_VERSION;

import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** The table {@code lifecycle_version}. A row never changes, so nobody has to lock it. */
public final class LifecycleVersionTable implements RecordTable<LifecycleVersionId, Lifecycle> {
  private static final UnnestRows<LifecycleVersionId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final Insertion<Write<LifecycleVersionId, Lifecycle>> INSERT =
      new Insertion<>(
          LIFECYCLE_VERSION,
          new UnnestRows<>("u", key(Write<LifecycleVersionId, Lifecycle>::key))
              .with(
                  List.of(
                      new Column<>(
                          LIFECYCLE_VERSION.DOCUMENT.getName(),
                          Kind.TEXT,
                          write -> LifecycleJson.print(applied(write))))));

  private static final String FIND = RenderedSql.text(find());

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
        DSL.select(LIFECYCLE_VERSION.DOCUMENT)
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

  private static Lifecycle applied(Write<LifecycleVersionId, Lifecycle> write) {
    if (write.before() != null || write.after() == null) {
      throw new IllegalArgumentException(write.key() + " cannot change");
    }
    return write.after();
  }

  @Override
  public Class<LifecycleVersionId> keys() {
    return LifecycleVersionId.class;
  }

  @Override
  public Comparator<LifecycleVersionId> lockOrder() {
    return Comparator.comparing(LifecycleVersionId::lifecycle, LifecycleTable.ORDER)
        .thenComparingLong(LifecycleVersionId::version);
  }

  @Override
  public void lock(
      Pipeline pipeline,
      List<LifecycleVersionId> keys,
      Loading<LifecycleVersionId, Lifecycle> loading) {
    pipeline.query(
        FIND,
        KEYS.parameters(keys),
        row -> {
          var id = keys.get(row.getInt(1) - 1);
          if (SizeBoundedSelect.isBeyond(row)) {
            loading.deferred(id);
          } else {
            loading.found(id, LifecycleJson.parse(row.getString(2)));
          }
        });
  }

  @Override
  public void lookUp(
      Pipeline pipeline,
      List<LifecycleVersionId> absent,
      Loading<LifecycleVersionId, Lifecycle> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<LifecycleVersionId, Lifecycle>> writes) {
    INSERT.add(pipeline, writes);
  }

  @Override
  public void change(Pipeline pipeline, List<Write<LifecycleVersionId, Lifecycle>> writes) {}

  @Override
  public void verify(Pipeline pipeline, List<Write<LifecycleVersionId, Lifecycle>> writes) {}
}
