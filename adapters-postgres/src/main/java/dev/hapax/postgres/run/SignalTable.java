package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_SIGNAL;

import dev.hapax.domain.SourceHook;
import dev.hapax.domain.run.Signal;
import dev.hapax.domain.run.SignalId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * The table {@code run_signal}. Nobody has to lock its rows: who names a signal names its run too,
 * and comes here when that is locked.
 */
public final class SignalTable implements RecordTable<SignalId, Signal> {
  private static final UnnestRows<SignalId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Kept> WRITTEN =
      new UnnestRows<>("u", key(Kept::id))
          .with(
              List.of(
                  new Column<>(
                      RUN_SIGNAL.VERSION.getName(), Kind.LONG, row -> row.signal().version()),
                  new Column<>(RUN_SIGNAL.TYPE.getName(), Kind.TEXT, row -> row.signal().type()),
                  new Column<>(
                      RUN_SIGNAL.HOOK.getName(),
                      Kind.UUID,
                      row -> row.signal().hook().map(SourceHook::hash).orElse(null)),
                  new Column<>(
                      RUN_SIGNAL.HOOK_NAME.getName(),
                      Kind.TEXT,
                      row -> SourceColumns.text(row.signal().hook())),
                  new Column<>(
                      RUN_SIGNAL.CONSUMED.getName(), Kind.BOOL, row -> row.signal().consumed())));

  private static final String FIND = RenderedSql.text(find());
  private static final Insertion<Kept> INSERT = new Insertion<>(RUN_SIGNAL, WRITTEN);

  /** The row is there; said so, because a join could be planned as a scan. */
  private static final String UPDATE =
      RenderedSql.exactly(
          RUN_SIGNAL.getName(),
          DSL.insertInto(RUN_SIGNAL, WRITTEN.names())
              .select(DSL.select(WRITTEN.all()).from(WRITTEN.table()))
              .onConflict(RUN_SIGNAL.WORKSPACE, RUN_SIGNAL.RUN_ID, RUN_SIGNAL.ID)
              .doUpdate()
              .set(RUN_SIGNAL.CONSUMED, DSL.excluded(RUN_SIGNAL.CONSUMED))
              .where(RUN_SIGNAL.VERSION.eq(DSL.excluded(RUN_SIGNAL.VERSION)))
              .returning(DSL.one()));

  private record Kept(SignalId id, Signal signal) {
    static Kept of(Write<SignalId, Signal> write) {
      var after = write.after();
      if (after == null) {
        throw new IllegalArgumentException(write.key() + " cannot be removed");
      }
      return new Kept(write.key(), after);
    }
  }

  private static <R> List<Column<R>> key(Function<R, SignalId> id) {
    return RunColumns.concat(
        RunColumns.key(RUN_SIGNAL.RUN_ID, row -> id.apply(row).run()),
        List.of(new Column<>(RUN_SIGNAL.ID.getName(), Kind.TEXT, row -> id.apply(row).id())));
  }

  private static Select<?> find() {
    var row =
        DSL.select(RUN_SIGNAL.VERSION, RUN_SIGNAL.TYPE, RUN_SIGNAL.CONSUMED)
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

  @Override
  public Class<SignalId> keys() {
    return SignalId.class;
  }

  @Override
  public Comparator<SignalId> lockOrder() {
    return Comparator.comparing(SignalId::run, RunTable.ORDER).thenComparing(SignalId::id);
  }

  @Override
  public void lock(Pipeline pipeline, List<SignalId> keys, Loading<SignalId, Signal> loading) {
    pipeline.query(
        FIND,
        KEYS.parameters(keys),
        found -> {
          var row = new Row(found);
          loading.found(
              keys.get(found.getInt(1) - 1),
              new Signal(
                  row.number(RUN_SIGNAL.VERSION),
                  row.text(RUN_SIGNAL.TYPE),
                  SourceColumns.source(row, RUN_SIGNAL.HOOK, RUN_SIGNAL.HOOK_NAME),
                  row.flag(RUN_SIGNAL.CONSUMED)));
        });
  }

  @Override
  public void lookUp(Pipeline pipeline, List<SignalId> absent, Loading<SignalId, Signal> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<SignalId, Signal>> writes) {
    INSERT.add(pipeline, writes.stream().filter(w -> w.before() == null).map(Kept::of).toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<SignalId, Signal>> writes) {
    pipeline.write(
        UPDATE, WRITTEN, writes.stream().filter(w -> w.before() != null).map(Kept::of).toList());
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<SignalId, Signal>> writes) {}
}
