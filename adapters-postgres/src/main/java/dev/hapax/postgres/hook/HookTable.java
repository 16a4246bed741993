package dev.hapax.postgres.hook;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.HOOK;

import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.Turns;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code hook}, whose key gives a token one owner. */
public final class HookTable {
  private static final List<Field<?>> LOADED =
      List.of(
          HOOK.RUN_ID,
          HOOK.NAME,
          HOOK.CREATED_AT,
          HOOK.RETENTION,
          HOOK.DISPOSED_AT,
          HOOK.LAST_TURN,
          HOOK.WAITING);

  private static final UnnestRows<HookId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<HookId, Hook>> WRITTEN =
      new UnnestRows<>("u", key(Write<HookId, Hook>::key))
          .with(
              List.of(
                  column(HOOK.RUN_ID, Kind.UUID, hook -> hook.run().uuid()),
                  column(HOOK.NAME, Kind.TEXT, hook -> hook.name().isEmpty() ? null : hook.name()),
                  column(HOOK.CREATED_AT, Kind.INSTANT, Hook::createdAt),
                  column(HOOK.RETENTION, Kind.LONG, hook -> Micros.of(hook.retention())),
                  column(HOOK.DISPOSED_AT, Kind.INSTANT, hook -> hook.disposedAt().orElse(null)),
                  column(HOOK.LAST_TURN, Kind.LONG, hook -> lastTurn(hook.turns())),
                  column(HOOK.WAITING, Kind.INT, hook -> waiting(hook.turns()))));

  private static final String LOCK =
      RenderedSql.text(
          KEYS.each(
              DSL.select(HOOK.WORKSPACE).select(LOADED).from(HOOK).where(isHook()).forUpdate()));

  /** Loads hooks without locking them. */
  static final RowLoad<HookId, Hook> FIND =
      new RowLoad<>(
          KEYS,
          RenderedSql.text(
              KEYS.each(
                  DSL.select(HOOK.WORKSPACE)
                      .select(LOADED)
                      .from(HOOK)
                      .where(isHook())
                      .limit(DSL.inline(1)))),
          HookTable::read);

  private static final String UPDATE =
      RenderedSql.replace(HOOK, WRITTEN, List.of(HOOK.WORKSPACE, HOOK.HASH), DSL.noCondition());

  private HookTable() {}

  /** Returns the table. */
  public static RecordTable<HookId, Hook> create() {
    return new SimpleTable<>(
        HookId.class,
        Comparator.comparing(HookId::workspace).thenComparing(HookId::hash),
        new RowLoad<>(KEYS, LOCK, HookTable::read),
        RowWrites.of(HOOK, WRITTEN, UPDATE));
  }

  private static <R> List<Column<R>> key(Function<R, HookId> id) {
    return List.of(
        new Column<>(HOOK.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(HOOK.HASH.getName(), Kind.UUID, row -> id.apply(row).hash()));
  }

  private static Condition isHook() {
    return HOOK.WORKSPACE.eq(KEYS.get(HOOK.WORKSPACE)).and(HOOK.HASH.eq(KEYS.get(HOOK.HASH)));
  }

  private static Hook read(HookId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new Hook(
        new RunId(id.workspace(), row.uuid(HOOK.RUN_ID)),
        row.optionalText(HOOK.NAME).orElse(""),
        row.instant(HOOK.CREATED_AT),
        Micros.duration(row.number(HOOK.RETENTION)),
        row.optionalInstant(HOOK.DISPOSED_AT),
        new Turns(
            row.optionalNumber(HOOK.LAST_TURN).map(OptionalLong::of).orElse(OptionalLong.empty()),
            row.optionalNumber(HOOK.WAITING).map(Math::toIntExact).orElse(0)));
  }

  private static @Nullable Long lastTurn(Turns turns) {
    return turns.last().isEmpty() ? null : turns.last().getAsLong();
  }

  private static @Nullable Integer waiting(Turns turns) {
    return turns.waiting() == 0 ? null : turns.waiting();
  }
}
