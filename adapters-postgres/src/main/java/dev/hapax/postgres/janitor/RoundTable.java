package dev.hapax.postgres.janitor;

import static dev.hapax.postgres.schema.Tables.JANITOR_ROUND;

import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code janitor_round}. */
public final class RoundTable implements RecordTable<SweepRoundId, SweepRound> {
  static final List<Field<?>> LOADED =
      List.of(JANITOR_ROUND.AT, JANITOR_ROUND.FREED, JANITOR_ROUND.COMPLETE, JANITOR_ROUND.GOT_ON);

  private static final UnnestRows<SweepRoundId> KEYS =
      new UnnestRows<>("k", JanitorColumns.key(SweepRoundId::janitor));

  private static final UnnestRows<Kept> WRITTEN =
      new UnnestRows<>("u", JanitorColumns.key((Kept kept) -> kept.id().janitor()))
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
  private static final Insertion<Kept> INSERT = new Insertion<>(JANITOR_ROUND, WRITTEN);

  /** The row is there and locked; said so, because a join could be planned as a scan. */
  private static final String UPDATE =
      RenderedSql.exactly(
          JANITOR_ROUND.getName(),
          DSL.insertInto(JANITOR_ROUND, WRITTEN.names())
              .select(DSL.select(WRITTEN.all()).from(WRITTEN.table()))
              .onConflict(JANITOR_ROUND.WORKSPACE, JANITOR_ROUND.MODULE)
              .doUpdate()
              .setAllToExcluded()
              .returning(DSL.one()));

  private record Kept(SweepRoundId id, SweepRound round) {}

  private static Column<Kept> column(
      Field<?> field, Kind kind, Function<SweepRound, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, kept -> value.apply(kept.round()));
  }

  private static Select<?> lock() {
    var row =
        DSL.select(LOADED)
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
        row.instantIfAny(JANITOR_ROUND.GOT_ON));
  }

  @Override
  public Class<SweepRoundId> keys() {
    return SweepRoundId.class;
  }

  @Override
  public Comparator<SweepRoundId> lockOrder() {
    return Comparator.comparing(SweepRoundId::janitor, JanitorTable.ORDER);
  }

  @Override
  public void lock(
      Pipeline pipeline, List<SweepRoundId> keys, Loading<SweepRoundId, SweepRound> loading) {
    pipeline.query(
        LOCK,
        KEYS.parameters(keys),
        row -> loading.found(keys.get(row.getInt(1) - 1), read(new Row(row))));
  }

  @Override
  public void lookUp(
      Pipeline pipeline, List<SweepRoundId> absent, Loading<SweepRoundId, SweepRound> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<SweepRoundId, SweepRound>> writes) {
    INSERT.add(pipeline, kept(writes.stream().filter(w -> w.before() == null)));
  }

  @Override
  public void change(Pipeline pipeline, List<Write<SweepRoundId, SweepRound>> writes) {
    pipeline.write(UPDATE, WRITTEN, kept(writes.stream().filter(w -> w.before() != null)));
  }

  private static List<Kept> kept(Stream<Write<SweepRoundId, SweepRound>> writes) {
    return writes.map(write -> new Kept(write.key(), some(write.key(), write.after()))).toList();
  }

  private static SweepRound some(SweepRoundId id, @Nullable SweepRound round) {
    if (round == null) {
      throw new IllegalArgumentException(id + " cannot be removed");
    }
    return round;
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<SweepRoundId, SweepRound>> writes) {}
}
