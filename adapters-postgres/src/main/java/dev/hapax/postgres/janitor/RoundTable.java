package dev.hapax.postgres.janitor;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.JANITOR_ROUND;

import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** The table {@code janitor_round}. */
public final class RoundTable {
  static final List<Field<?>> LOADED =
      List.of(JANITOR_ROUND.AT, JANITOR_ROUND.FREED, JANITOR_ROUND.COMPLETE, JANITOR_ROUND.GOT_ON);

  private static final UnnestRows<SweepRoundId> KEYS =
      new UnnestRows<>("k", JanitorColumns.key(SweepRoundId::janitor));

  private static final UnnestRows<Write<SweepRoundId, SweepRound>> WRITTEN =
      new UnnestRows<>(
              "u",
              JanitorColumns.key((Write<SweepRoundId, SweepRound> write) -> write.key().janitor()))
          .with(
              List.of(
                  column(JANITOR_ROUND.AT, Kind.INSTANT, SweepRound::at),
                  column(JANITOR_ROUND.FREED, Kind.INT, SweepRound::freed),
                  column(JANITOR_ROUND.COMPLETE, Kind.BOOL, SweepRound::complete),
                  column(
                      JANITOR_ROUND.GOT_ON,
                      Kind.INSTANT,
                      round -> round.lastProgressAt().orElse(null))));

  private static final String LOCK = RenderedSql.text(lock());

  private static final String UPDATE =
      RenderedSql.replace(
          JANITOR_ROUND,
          WRITTEN,
          List.of(JANITOR_ROUND.WORKSPACE, JANITOR_ROUND.MODULE),
          DSL.noCondition());

  private RoundTable() {}

  /** Returns the table. */
  public static RecordTable<SweepRoundId, SweepRound> create() {
    return new SimpleTable<>(
        SweepRoundId.class,
        Comparator.comparing(SweepRoundId::janitor, JanitorTable.ORDER),
        new RowLoad<>(KEYS, LOCK, RoundTable::read),
        RowWrites.of(JANITOR_ROUND, WRITTEN, UPDATE));
  }

  private static Select<?> lock() {
    var row =
        DSL.select(JANITOR_ROUND.WORKSPACE)
            .select(LOADED)
            .from(JANITOR_ROUND)
            .where(
                JANITOR_ROUND.WORKSPACE.eq(KEYS.get(JANITOR_ROUND.WORKSPACE)),
                JANITOR_ROUND.MODULE.eq(KEYS.get(JANITOR_ROUND.MODULE)))
            .forUpdate()
            .asTable("r");
    return DSL.select(KEYS.number())
        .select(row.fields())
        .from(KEYS.table(), DSL.lateral(row))
        .orderBy(KEYS.number());
  }

  static SweepRound read(Row row) throws SQLException {
    return new SweepRound(
        row.instant(JANITOR_ROUND.AT),
        row.integer(JANITOR_ROUND.FREED),
        row.flag(JANITOR_ROUND.COMPLETE),
        row.optionalInstant(JANITOR_ROUND.GOT_ON));
  }

  private static SweepRound read(SweepRoundId id, ResultSet row) throws SQLException {
    return read(new Row(row));
  }
}
