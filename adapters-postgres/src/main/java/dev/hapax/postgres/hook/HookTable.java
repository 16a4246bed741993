package dev.hapax.postgres.hook;

import static dev.hapax.postgres.schema.Tables.HOOK;

import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code hook}: its key is what lets a token have one owner. */
public final class HookTable implements RecordTable<HookId, Hook> {
  private static final List<Field<?>> LOADED =
      List.of(HOOK.RUN_ID, HOOK.NAME, HOOK.CREATED_AT, HOOK.RETENTION, HOOK.DISPOSED_AT);

  private static final UnnestRows<HookId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Kept> WRITTEN =
      new UnnestRows<>("u", key(Kept::id))
          .with(
              List.of(
                  column(HOOK.RUN_ID, Kind.UUID, hook -> hook.run().uuid()),
                  column(HOOK.NAME, Kind.TEXT, hook -> hook.name().isEmpty() ? null : hook.name()),
                  column(HOOK.CREATED_AT, Kind.INSTANT, Hook::createdAt),
                  column(HOOK.RETENTION, Kind.LONG, hook -> Micros.of(hook.retention())),
                  column(HOOK.DISPOSED_AT, Kind.INSTANT, hook -> hook.disposedAt().orElse(null))));

  private static final String LOCK =
      RenderedSql.text(KEYS.each(DSL.select(LOADED).from(HOOK).where(isHook()).forUpdate()));

  private static final String FIND =
      RenderedSql.text(
          KEYS.each(DSL.select(LOADED).from(HOOK).where(isHook()).limit(DSL.inline(1))));

  private static final Insertion<Kept> INSERT = new Insertion<>(HOOK, WRITTEN);

  /** The row is there and locked; said so, because a join could be planned as a scan. */
  private static final String UPDATE =
      RenderedSql.exactly(
          HOOK.getName(),
          DSL.insertInto(HOOK, WRITTEN.names())
              .select(DSL.select(WRITTEN.all()).from(WRITTEN.table()))
              .onConflict(HOOK.WORKSPACE, HOOK.HASH)
              .doUpdate()
              .setAllToExcluded()
              .returning(DSL.one()));

  private record Kept(HookId id, Hook hook) {}

  private static Column<Kept> column(
      Field<?> field, Kind kind, Function<Hook, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, kept -> value.apply(kept.hook()));
  }

  private static <R> List<Column<R>> key(Function<R, HookId> id) {
    return List.of(
        new Column<>(HOOK.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(HOOK.HASH.getName(), Kind.UUID, row -> id.apply(row).hash()));
  }

  private static Condition isHook() {
    return HOOK.WORKSPACE.eq(KEYS.get(HOOK.WORKSPACE)).and(HOOK.HASH.eq(KEYS.get(HOOK.HASH)));
  }

  private static Hook hook(HookId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new Hook(
        new RunId(id.workspace(), row.uuid(HOOK.RUN_ID)),
        row.textIfAny(HOOK.NAME).orElse(""),
        row.instant(HOOK.CREATED_AT),
        Micros.duration(row.number(HOOK.RETENTION)),
        row.instantIfAny(HOOK.DISPOSED_AT));
  }

  @Override
  public Class<HookId> keys() {
    return HookId.class;
  }

  @Override
  public Comparator<HookId> lockOrder() {
    return Comparator.comparing(HookId::workspace).thenComparing(HookId::hash);
  }

  @Override
  public void lock(Pipeline pipeline, List<HookId> keys, Loading<HookId, Hook> loading) {
    load(LOCK, pipeline, keys, loading);
  }

  /** Without locking. */
  static void find(Pipeline pipeline, List<HookId> keys, Loading<HookId, Hook> loading) {
    load(FIND, pipeline, keys, loading);
  }

  private static void load(
      String statement, Pipeline pipeline, List<HookId> keys, Loading<HookId, Hook> loading) {
    pipeline.query(
        statement,
        KEYS.parameters(keys),
        row -> {
          var id = keys.get(row.getInt(1) - 1);
          loading.found(id, hook(id, row));
        });
  }

  @Override
  public void lookUp(Pipeline pipeline, List<HookId> absent, Loading<HookId, Hook> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<HookId, Hook>> writes) {
    INSERT.add(pipeline, kept(writes.stream().filter(w -> w.before() == null)));
  }

  @Override
  public void change(Pipeline pipeline, List<Write<HookId, Hook>> writes) {
    pipeline.write(UPDATE, WRITTEN, kept(writes.stream().filter(w -> w.before() != null)));
  }

  private static List<Kept> kept(Stream<Write<HookId, Hook>> writes) {
    return writes.map(write -> new Kept(write.key(), some(write.key(), write.after()))).toList();
  }

  private static Hook some(HookId id, @Nullable Hook hook) {
    if (hook == null) {
      throw new IllegalArgumentException(id + " cannot be removed");
    }
    return hook;
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<HookId, Hook>> writes) {}
}
