package dev.hapax.postgres.limit;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.LIMIT_LINE;

import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.limit.LimitId;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitLine;
import dev.hapax.domain.limit.LimitLine.Due;
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
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code limit_line}, whose row is locked by each decision about a limit. */
public final class LimitLineTable {
  private static final UnnestRows<LimitId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<LimitId, LimitLine>> WRITTEN =
      new UnnestRows<>("u", key(Write<LimitId, LimitLine>::key))
          .with(
              List.of(
                  column(LIMIT_LINE.OF_DEFINITIONS, Kind.BOOL, line -> line.key().ofDefinitions()),
                  column(LIMIT_LINE.NAME, Kind.TEXT, line -> line.key().name()),
                  column(LIMIT_LINE.KEY, Kind.TEXT, line -> line.key().value()),
                  column(LIMIT_LINE.MAX_RUNNING, Kind.INT, LimitLine::maxRunning),
                  column(LIMIT_LINE.LAST_TURN, Kind.LONG, line -> line.last().orElseThrow()),
                  column(LIMIT_LINE.MAX_STARTS, Kind.INT, line -> starts(line.rate())),
                  column(LIMIT_LINE.PER, Kind.LONG, line -> per(line.rate())),
                  column(LIMIT_LINE.STARTED_AT, Kind.INSTANT, line -> line.started().orElse(null)),
                  column(
                      LIMIT_LINE.DUE_AT,
                      Kind.INSTANT,
                      line -> line.due().map(Due::at).orElse(null)),
                  column(
                      LIMIT_LINE.DUE_TURN,
                      Kind.LONG,
                      line -> line.due().map(Due::turn).orElse(null))));

  private static final String LOCK =
      RenderedSql.text(
          KEYS.each(
              DSL.select(
                      LIMIT_LINE.WORKSPACE,
                      LIMIT_LINE.OF_DEFINITIONS,
                      LIMIT_LINE.NAME,
                      LIMIT_LINE.KEY,
                      LIMIT_LINE.MAX_RUNNING,
                      LIMIT_LINE.LAST_TURN,
                      LIMIT_LINE.MAX_STARTS,
                      LIMIT_LINE.PER,
                      LIMIT_LINE.STARTED_AT,
                      LIMIT_LINE.DUE_AT,
                      LIMIT_LINE.DUE_TURN)
                  .from(LIMIT_LINE)
                  .where(
                      LIMIT_LINE.WORKSPACE.eq(KEYS.get(LIMIT_LINE.WORKSPACE)),
                      LIMIT_LINE.HASH.eq(KEYS.get(LIMIT_LINE.HASH)))
                  .forUpdate()));

  private static final String UPDATE =
      RenderedSql.replace(
          LIMIT_LINE, WRITTEN, List.of(LIMIT_LINE.WORKSPACE, LIMIT_LINE.HASH), DSL.noCondition());

  private LimitLineTable() {}

  /** Returns the table. */
  public static RecordTable<LimitId, LimitLine> create() {
    return new SimpleTable<>(
        LimitId.class,
        Comparator.comparing(LimitId::workspace).thenComparing(LimitId::hash),
        new RowLoad<>(KEYS, LOCK, LimitLineTable::read),
        RowWrites.of(LIMIT_LINE, WRITTEN, UPDATE));
  }

  private static <R> List<Column<R>> key(Function<R, LimitId> id) {
    return List.of(
        new Column<>(
            LIMIT_LINE.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(LIMIT_LINE.HASH.getName(), Kind.UUID, row -> id.apply(row).hash()));
  }

  private static LimitLine read(LimitId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new LimitLine(
        new LimitKey(
            id.workspace(),
            row.flag(LIMIT_LINE.OF_DEFINITIONS),
            row.text(LIMIT_LINE.NAME),
            row.text(LIMIT_LINE.KEY)),
        row.integer(LIMIT_LINE.MAX_RUNNING),
        rate(row, LIMIT_LINE.MAX_STARTS, LIMIT_LINE.PER),
        OptionalLong.of(row.number(LIMIT_LINE.LAST_TURN)),
        row.optionalInstant(LIMIT_LINE.STARTED_AT),
        due(row));
  }

  private static Optional<Due> due(Row row) throws SQLException {
    var at = row.optionalInstant(LIMIT_LINE.DUE_AT);
    return at.isPresent()
        ? Optional.of(new Due(at.get(), row.number(LIMIT_LINE.DUE_TURN)))
        : Optional.empty();
  }

  static @Nullable Integer starts(Optional<Rate> rate) {
    return rate.map(Rate::starts).orElse(null);
  }

  static @Nullable Long per(Optional<Rate> rate) {
    return rate.map(has -> Micros.of(has.per())).orElse(null);
  }

  static Optional<Rate> rate(Row row, Field<Integer> starts, Field<Long> per) throws SQLException {
    var number = row.optionalNumber(starts);
    return number.isPresent()
        ? Optional.of(new Rate(Math.toIntExact(number.get()), Micros.duration(row.number(per))))
        : Optional.empty();
  }
}
