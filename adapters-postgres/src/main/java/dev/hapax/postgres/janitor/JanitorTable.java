package dev.hapax.postgres.janitor;

import static dev.hapax.postgres.schema.Tables.JANITOR;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.KeyLocks;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.Comparator;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** The table {@code janitor}: many begin something under one at once, and few change it. */
public final class JanitorTable implements RecordTable<JanitorId, Janitor> {
  static final Comparator<JanitorId> ORDER =
      Comparator.comparing(JanitorId::workspace).thenComparing(JanitorId::module);

  private static final List<Field<?>> LOADED =
      List.of(
          JANITOR.DECLARED_AT,
          JANITOR.DECLARED_BY,
          JANITOR.REASON,
          JANITOR.CONTRACT,
          JANITOR.DEMANDS);

  private static final UnnestRows<JanitorId> KEYS =
      new UnnestRows<>("k", JanitorColumns.key(id -> id));

  private static final UnnestRows<Write<JanitorId, Janitor>> WRITTEN =
      new UnnestRows<>("u", JanitorColumns.key(Write<JanitorId, Janitor>::key))
          .with(JanitorColumns.all(Write::kept));

  private static final String LOCK =
      RenderedSql.text(KEYS.each(DSL.select(LOADED).from(JANITOR).where(isJanitor()).forUpdate()));

  private static final String READ =
      RenderedSql.text(KEYS.each(DSL.select(LOADED).from(JANITOR).where(isJanitor())));

  private static final KeyLocks<JanitorId> LOCKS =
      new KeyLocks<>(JANITOR.getName(), id -> id.workspace().name() + "\0" + id.module());

  private static final Insertion<Write<JanitorId, Janitor>> INSERT =
      new Insertion<>(JANITOR, WRITTEN);

  /** The row is there and locked; said so, because a join could be planned as a scan. */
  private static final String UPDATE =
      RenderedSql.exactly(
          JANITOR.getName(),
          DSL.insertInto(JANITOR, WRITTEN.names())
              .select(DSL.select(WRITTEN.all()).from(WRITTEN.table()))
              .onConflict(JANITOR.WORKSPACE, JANITOR.MODULE)
              .doUpdate()
              .setAllToExcluded()
              .returning(DSL.one()));

  private static Condition isJanitor() {
    return JANITOR
        .WORKSPACE
        .eq(KEYS.get(JANITOR.WORKSPACE))
        .and(JANITOR.MODULE.eq(KEYS.get(JANITOR.MODULE)));
  }

  @Override
  public Class<JanitorId> keys() {
    return JanitorId.class;
  }

  @Override
  public Comparator<JanitorId> lockOrder() {
    return ORDER;
  }

  @Override
  public void lock(Pipeline pipeline, List<JanitorId> keys, Loading<JanitorId, Janitor> loading) {
    LOCKS.lock(pipeline, keys);
    load(LOCK, pipeline, keys, loading);
  }

  @Override
  public void share(Pipeline pipeline, List<JanitorId> keys, Loading<JanitorId, Janitor> loading) {
    LOCKS.share(pipeline, keys);
    load(READ, pipeline, keys, loading);
  }

  private static void load(
      String statement,
      Pipeline pipeline,
      List<JanitorId> keys,
      Loading<JanitorId, Janitor> loading) {
    pipeline.query(
        statement,
        KEYS.parameters(keys),
        row -> {
          var id = keys.get(row.getInt(1) - 1);
          loading.found(id, JanitorColumns.read(id, row));
        });
  }

  @Override
  public void lookUp(
      Pipeline pipeline, List<JanitorId> absent, Loading<JanitorId, Janitor> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<JanitorId, Janitor>> writes) {
    INSERT.add(pipeline, writes.stream().filter(Write::isNew).toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<JanitorId, Janitor>> writes) {
    pipeline.write(UPDATE, WRITTEN, writes.stream().filter(write -> !write.isNew()).toList());
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<JanitorId, Janitor>> writes) {}
}
