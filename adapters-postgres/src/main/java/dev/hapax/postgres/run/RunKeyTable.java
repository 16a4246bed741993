package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_KEY;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKey;
import dev.hapax.domain.run.RunKeyId;
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

/** The table {@code run_key}. Its rows are what starts of one key lock or insert. */
public final class RunKeyTable implements RecordTable<RunKeyId, RunKey> {
  private static final UnnestRows<RunKeyId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Bound> WRITTEN =
      new UnnestRows<>("u", key(Bound::id))
          .with(
              List.of(
                  new Column<>(RUN_KEY.RUN_ID.getName(), Kind.UUID, row -> row.key().run().uuid()),
                  new Column<>(
                      RUN_KEY.REQUEST.getName(), Kind.UUID, row -> row.key().request().hash()),
                  new Column<>(
                      RUN_KEY.EXPIRES_AT.getName(), Kind.INSTANT, row -> row.key().expiresAt())));

  private static final String LOCK = RenderedSql.text(lock());
  private static final Insertion<Bound> INSERT = new Insertion<>(RUN_KEY, WRITTEN);

  /** The row is there and locked; said so, because a join could be planned as a scan. */
  private static final String UPDATE =
      RenderedSql.exactly(
          RUN_KEY.getName(),
          DSL.insertInto(RUN_KEY, WRITTEN.names())
              .select(DSL.select(WRITTEN.all()).from(WRITTEN.table()))
              .onConflict(RUN_KEY.WORKSPACE, RUN_KEY.HASH)
              .doUpdate()
              .setAllToExcluded()
              .returning(DSL.one()));

  private record Bound(RunKeyId id, RunKey key) {
    static Bound of(Write<RunKeyId, RunKey> write) {
      var after = write.after();
      if (after == null) {
        throw new IllegalArgumentException(write.key() + " cannot be removed");
      }
      return new Bound(write.key(), after);
    }
  }

  static <R> List<Column<R>> key(Function<R, RunKeyId> id) {
    return List.of(
        new Column<>(
            RUN_KEY.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(RUN_KEY.HASH.getName(), Kind.UUID, row -> id.apply(row).hash()));
  }

  private static Select<?> lock() {
    var row =
        DSL.select(RUN_KEY.RUN_ID, RUN_KEY.REQUEST, RUN_KEY.EXPIRES_AT)
            .from(RUN_KEY)
            .where(
                RUN_KEY.WORKSPACE.eq(KEYS.get(RUN_KEY.WORKSPACE)),
                RUN_KEY.HASH.eq(KEYS.get(RUN_KEY.HASH)))
            .forUpdate()
            .asTable("r");
    return DSL.select(KEYS.number())
        .select(row.fields())
        .from(KEYS.table(), DSL.lateral(row))
        .orderBy(KEYS.number());
  }

  @Override
  public Class<RunKeyId> keys() {
    return RunKeyId.class;
  }

  @Override
  public Comparator<RunKeyId> lockOrder() {
    return Comparator.comparing(RunKeyId::workspace).thenComparing(RunKeyId::hash);
  }

  @Override
  public void lock(Pipeline pipeline, List<RunKeyId> keys, Loading<RunKeyId, RunKey> loading) {
    pipeline.query(
        LOCK,
        KEYS.parameters(keys),
        found -> {
          var id = keys.get(found.getInt(1) - 1);
          var row = new Row(found);
          loading.found(
              id,
              new RunKey(
                  new RunId(id.workspace(), row.uuid(RUN_KEY.RUN_ID)),
                  new Fingerprint(row.uuid(RUN_KEY.REQUEST)),
                  row.instant(RUN_KEY.EXPIRES_AT)));
        });
  }

  @Override
  public void lookUp(Pipeline pipeline, List<RunKeyId> absent, Loading<RunKeyId, RunKey> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<RunKeyId, RunKey>> writes) {
    INSERT.add(pipeline, writes.stream().filter(w -> w.before() == null).map(Bound::of).toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<RunKeyId, RunKey>> writes) {
    pipeline.write(
        UPDATE, WRITTEN, writes.stream().filter(w -> w.before() != null).map(Bound::of).toList());
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<RunKeyId, RunKey>> writes) {}
}
