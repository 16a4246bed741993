package dev.hapax.postgres.janitor;

import static dev.hapax.postgres.schema.Tables.JANITOR;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.postgres.ledger.KeyLocks;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SharedTable;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.Comparator;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** The table {@code janitor}: many commands read a row at once, and few change it. */
public final class JanitorTable {
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

  /** The limit keeps it from being planned as a join with the whole table. */
  private static final String READ =
      RenderedSql.text(
          KEYS.each(
              DSL.select(JANITOR.WORKSPACE)
                  .select(LOADED)
                  .from(JANITOR)
                  .where(isJanitor())
                  .limit(DSL.inline(1))));

  private static final KeyLocks<JanitorId> LOCKS =
      new KeyLocks<>(JANITOR.getName(), id -> id.workspace().name() + "\0" + id.module());

  private static final String UPDATE =
      RenderedSql.replace(
          JANITOR, WRITTEN, List.of(JANITOR.WORKSPACE, JANITOR.MODULE), DSL.noCondition());

  private JanitorTable() {}

  /** Returns the table. */
  public static RecordTable<JanitorId, Janitor> create() {
    return new SharedTable<>(
        JanitorId.class,
        ORDER,
        LOCKS,
        new RowLoad<>(KEYS, LOCK, JanitorColumns::read),
        new RowLoad<>(KEYS, READ, JanitorColumns::read),
        RowWrites.of(JANITOR, WRITTEN, UPDATE));
  }

  private static Condition isJanitor() {
    return JANITOR
        .WORKSPACE
        .eq(KEYS.get(JANITOR.WORKSPACE))
        .and(JANITOR.MODULE.eq(KEYS.get(JANITOR.MODULE)));
  }
}
