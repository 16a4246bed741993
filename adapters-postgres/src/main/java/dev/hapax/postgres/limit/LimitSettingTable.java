package dev.hapax.postgres.limit;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.LIMIT_SETTING;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitSetting;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.KeyLocks;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SharedTable;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jooq.Field;
import org.jooq.SelectConditionStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code limit_setting}: each admission reads two rows, and few commands change one. */
public final class LimitSettingTable {
  private static final UnnestRows<LimitKey> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<LimitKey, LimitSetting>> WRITTEN =
      new UnnestRows<>("u", key(Write<LimitKey, LimitSetting>::key))
          .with(
              List.of(
                  column(LIMIT_SETTING.MAX_RUNNING, Kind.INT, LimitSettingTable::maxRunning),
                  column(LIMIT_SETTING.SET_AT, Kind.INSTANT, LimitSetting::setAt),
                  column(LIMIT_SETTING.SET_BY, Kind.TEXT, setting -> setting.by().actor()),
                  column(
                      LIMIT_SETTING.SET_BY_PRINCIPAL,
                      Kind.TEXT,
                      setting -> StoredPrincipal.text(setting.by().principal())),
                  column(LIMIT_SETTING.REASON, Kind.TEXT, setting -> setting.by().reason()),
                  column(
                      LIMIT_SETTING.MAX_STARTS,
                      Kind.INT,
                      setting -> LimitLineTable.starts(setting.rate())),
                  column(
                      LIMIT_SETTING.PER,
                      Kind.LONG,
                      setting -> LimitLineTable.per(setting.rate()))));

  private static final String LOCK = RenderedSql.text(KEYS.each(select().forUpdate()));
  private static final String READ = RenderedSql.text(KEYS.each(select().limit(DSL.inline(1))));

  private static final KeyLocks<LimitKey> LOCKS =
      new KeyLocks<>(
          LIMIT_SETTING.getName(),
          id ->
              id.workspace().name()
                  + "\0"
                  + id.name()
                  + "\0"
                  + id.value()
                  + (id.ofDefinitions() ? "\0" : ""));

  private static final String UPDATE =
      RenderedSql.replace(
          LIMIT_SETTING,
          WRITTEN,
          List.of(
              LIMIT_SETTING.WORKSPACE,
              LIMIT_SETTING.NAME,
              LIMIT_SETTING.KEY,
              LIMIT_SETTING.OF_DEFINITIONS),
          DSL.noCondition());

  private LimitSettingTable() {}

  /** Returns the table. */
  public static RecordTable<LimitKey, LimitSetting> create() {
    return new SharedTable<>(
        LimitKey.class,
        Comparator.comparing(LimitKey::workspace)
            .thenComparing(LimitKey::name)
            .thenComparing(LimitKey::value)
            .thenComparing(LimitKey::ofDefinitions),
        LOCKS,
        new RowLoad<>(KEYS, LOCK, (_, found) -> read(found)),
        new RowLoad<>(KEYS, READ, (_, found) -> read(found)),
        RowWrites.of(LIMIT_SETTING, WRITTEN, UPDATE));
  }

  private static <R> List<Column<R>> key(Function<R, LimitKey> id) {
    return List.of(
        new Column<>(
            LIMIT_SETTING.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(LIMIT_SETTING.NAME.getName(), Kind.TEXT, row -> id.apply(row).name()),
        new Column<>(LIMIT_SETTING.KEY.getName(), Kind.TEXT, row -> id.apply(row).value()),
        new Column<>(
            LIMIT_SETTING.OF_DEFINITIONS.getName(),
            Kind.BOOL,
            row -> id.apply(row).ofDefinitions()));
  }

  private static SelectConditionStep<?> select() {
    return DSL.select(
            LIMIT_SETTING.WORKSPACE,
            LIMIT_SETTING.MAX_RUNNING,
            LIMIT_SETTING.SET_AT,
            LIMIT_SETTING.SET_BY,
            LIMIT_SETTING.SET_BY_PRINCIPAL,
            LIMIT_SETTING.REASON,
            LIMIT_SETTING.MAX_STARTS,
            LIMIT_SETTING.PER)
        .from(LIMIT_SETTING)
        .where(
            LIMIT_SETTING.WORKSPACE.eq(KEYS.get(LIMIT_SETTING.WORKSPACE)),
            LIMIT_SETTING.NAME.eq(KEYS.get(LIMIT_SETTING.NAME)),
            LIMIT_SETTING.KEY.eq(KEYS.get(LIMIT_SETTING.KEY)),
            LIMIT_SETTING.OF_DEFINITIONS.eq(KEYS.get(LIMIT_SETTING.OF_DEFINITIONS)));
  }

  private static @Nullable Integer maxRunning(LimitSetting setting) {
    return setting.maxRunning().isPresent() ? setting.maxRunning().getAsInt() : null;
  }

  static LimitSetting read(ResultSet found) throws SQLException {
    var row = new Row(found);
    return new LimitSetting(
        number(row, LIMIT_SETTING.MAX_RUNNING),
        LimitLineTable.rate(row, LIMIT_SETTING.MAX_STARTS, LIMIT_SETTING.PER),
        row.instant(LIMIT_SETTING.SET_AT),
        new Attribution(
            row.text(LIMIT_SETTING.SET_BY),
            row.text(LIMIT_SETTING.REASON),
            StoredPrincipal.read(found, LIMIT_SETTING.SET_BY_PRINCIPAL)));
  }

  static OptionalInt number(Row row, Field<Integer> field) throws SQLException {
    var number = row.optionalNumber(field);
    return number.isPresent() ? OptionalInt.of(number.get().intValue()) : OptionalInt.empty();
  }
}
