package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;
import static dev.hapax.postgres.schema.Tables.RUN_STEP;

import dev.hapax.domain.run.NamedStep;
import dev.hapax.domain.run.NamedStepId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * The table {@code run_step}, with what the event says. As with signals, the run is what rivals
 * lock. A row never changes.
 */
public final class NamedStepTable implements RecordTable<NamedStepId, NamedStep> {
  private static final UnnestRows<NamedStepId> KEYS = new UnnestRows<>("k", key(id -> id));
  private static final String FIND = RenderedSql.text(find());

  private static final Insertion<Write<NamedStepId, NamedStep>> INSERT =
      new Insertion<>(
          RUN_STEP,
          new UnnestRows<>("u", key(Write<NamedStepId, NamedStep>::key))
              .with(
                  List.of(
                      new Column<>(
                          RUN_STEP.VERSION.getName(), Kind.LONG, NamedStepTable::version))));

  private static <R> List<Column<R>> key(Function<R, NamedStepId> id) {
    return RunColumns.concat(
        RunColumns.key(RUN_STEP.RUN_ID, row -> id.apply(row).run()),
        List.of(
            new Column<>(RUN_STEP.STEP.getName(), Kind.INT, row -> id.apply(row).step()),
            new Column<>(RUN_STEP.NAME.getName(), Kind.TEXT, row -> id.apply(row).name())));
  }

  private static long version(Write<NamedStepId, NamedStep> write) {
    if (write.before() != null || write.after() == null) {
      throw new IllegalArgumentException(write.key() + " cannot change");
    }
    return write.after().version();
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
        DSL.select(RUN_EVENT.VERSION, RUN_EVENT.NONCE, RUN_EVENT.JSON, RUN_EVENT.BYTES)
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

  @Override
  public Class<NamedStepId> keys() {
    return NamedStepId.class;
  }

  /** By run first: whose run is loaded first has its first step loaded, and is never put off. */
  @Override
  public Comparator<NamedStepId> lockOrder() {
    return Comparator.comparing(NamedStepId::run, RunTable.ORDER)
        .thenComparingInt(NamedStepId::step)
        .thenComparing(NamedStepId::name);
  }

  @Override
  public void lock(
      Pipeline pipeline, List<NamedStepId> keys, Loading<NamedStepId, NamedStep> loading) {
    pipeline.query(
        FIND,
        KEYS.parameters(keys),
        found -> {
          var id = keys.get(found.getInt(1) - 1);
          if (SizeBoundedSelect.isBeyond(found)) {
            loading.deferred(id);
          } else {
            var row = new Row(found);
            loading.found(
                id,
                new NamedStep(
                    row.number(RUN_EVENT.VERSION),
                    EventRows.nonce(row),
                    EventRows.payload(row).orElseThrow()));
          }
        });
  }

  @Override
  public void lookUp(
      Pipeline pipeline, List<NamedStepId> absent, Loading<NamedStepId, NamedStep> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<NamedStepId, NamedStep>> writes) {
    INSERT.add(pipeline, writes);
  }

  @Override
  public void change(Pipeline pipeline, List<Write<NamedStepId, NamedStep>> writes) {}

  @Override
  public void verify(Pipeline pipeline, List<Write<NamedStepId, NamedStep>> writes) {}
}
