package dev.hapax.postgres.janitor;

import static dev.hapax.postgres.schema.Tables.JANITOR;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.postgres.ledger.KeyLocks;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.UnnestRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** The table {@code janitor}: many commands read a row at once, and few change it. */
public final class JanitorTable extends SimpleTable<JanitorId, Janitor> {
  static final Comparator<JanitorId> ORDER =
      Comparator.comparing(JanitorId::workspace).thenComparing(JanitorId::module);

  private static final List<Field<?>> LOADED =
      List.of(
          JANITOR.DECLARED_AT,
          JANITOR.DECLARED_BY,
          JANITOR.DECLARED_BY_PRINCIPAL,
          JANITOR.REASON,
          JANITOR.CONTRACT,
          JANITOR.DEMANDS);

  private static final UnnestRows<JanitorId> KEYS =
      new UnnestRows<>("k", JanitorColumns.key(id -> id));

  private static final UnnestRows<Write<JanitorId, Janitor>> WRITTEN =
      new UnnestRows<>("u", JanitorColumns.key(Write<JanitorId, Janitor>::key))
          .with(JanitorColumns.all(Write::kept));

  private static final String LOCK =
      RenderedSql.text(
          KEYS.each(
              DSL.select(JANITOR.WORKSPACE)
                  .select(LOADED)
                  .from(JANITOR)
                  .where(isJanitor())
                  .forUpdate()));

  private static final String READ =
      RenderedSql.text(
          KEYS.each(DSL.select(JANITOR.WORKSPACE).select(LOADED).from(JANITOR).where(isJanitor())));

  private static final KeyLocks<JanitorId> LOCKS =
      new KeyLocks<>(JANITOR.getName(), id -> id.workspace().name() + "\0" + id.module());

  private static final String UPDATE =
      RenderedSql.replace(
          JANITOR, WRITTEN, List.of(JANITOR.WORKSPACE, JANITOR.MODULE), DSL.noCondition());

  public JanitorTable() {
    super(JanitorId.class, ORDER, KEYS, LOCK, JANITOR, WRITTEN, UPDATE);
  }

  private static Condition isJanitor() {
    return JANITOR
        .WORKSPACE
        .eq(KEYS.get(JANITOR.WORKSPACE))
        .and(JANITOR.MODULE.eq(KEYS.get(JANITOR.MODULE)));
  }

  @Override
  protected Janitor read(JanitorId id, ResultSet row) throws SQLException {
    return JanitorColumns.read(id, row);
  }

  @Override
  public void lock(Pipeline pipeline, List<JanitorId> ids, Loading<JanitorId, Janitor> loading) {
    LOCKS.lock(pipeline, ids);
    super.lock(pipeline, ids, loading);
  }

  @Override
  public void share(Pipeline pipeline, List<JanitorId> ids, Loading<JanitorId, Janitor> loading) {
    LOCKS.share(pipeline, ids);
    load(READ, pipeline, ids, loading);
  }
}
