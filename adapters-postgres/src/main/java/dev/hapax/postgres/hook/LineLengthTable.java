package dev.hapax.postgres.hook;

import static dev.hapax.postgres.schema.Tables.HOOK;
import static dev.hapax.postgres.schema.Tables.PLACE;

import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.LineLength;
import dev.hapax.domain.hook.LineLengthId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.run.RunLoader;
import java.util.Comparator;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Counts the runs that wait for tokens, under the locks of the tokens. Nothing is written. */
public final class LineLengthTable implements RecordTable<LineLengthId, LineLength> {
  private static final UnnestRows<LineLengthId> KEYS =
      new UnnestRows<>(
          "k",
          List.of(
              new Column<>(
                  HOOK.WORKSPACE.getName(), Kind.TEXT, length -> length.workspace().name()),
              new Column<>(HOOK.HASH.getName(), Kind.UUID, length -> length.hook().hash())));

  private static final Field<Integer> WAITING = DSL.field("counted", Integer.class);

  private static final String COUNT =
      RenderedSql.text(
          KEYS.each(
              DSL.select(HOOK.WORKSPACE, HOOK.LAST_TURN, DSL.field(counted(isIn())).as(WAITING))
                  .from(HOOK)
                  .where(
                      HOOK.WORKSPACE.eq(KEYS.get(HOOK.WORKSPACE)),
                      HOOK.HASH.eq(KEYS.get(HOOK.HASH)),
                      HOOK.LAST_TURN.isNotNull())
                  .limit(DSL.inline(1))));

  private static Condition isIn() {
    return PLACE.WORKSPACE.eq(KEYS.get(HOOK.WORKSPACE)).and(PLACE.HASH.eq(KEYS.get(HOOK.HASH)));
  }

  /** Counts the places of a line that count. */
  static Select<Record1<Integer>> counted(Condition isIn) {
    return DSL.select(DSL.count())
        .from(
            DSL.select(DSL.one())
                .from(
                    PLACE,
                    DSL.lateral(
                        DSL.table(
                            "({0}) w",
                            RunLoader.waitingAt(
                                PLACE.WORKSPACE, PLACE.RUN_ID, PLACE.HASH, PLACE.TURN))))
                .where(isIn)
                .limit(DSL.inline(HookReads.MOST_COUNTED))
                .asTable("p"));
  }

  @Override
  public Class<LineLengthId> keys() {
    return LineLengthId.class;
  }

  @Override
  public Comparator<LineLengthId> lockOrder() {
    return Comparator.comparing(LineLengthId::workspace)
        .thenComparing(length -> length.hook().hash());
  }

  @Override
  public void lock(
      Pipeline pipeline, List<LineLengthId> keys, Loading<LineLengthId, LineLength> loading) {
    pipeline.query(
        COUNT,
        KEYS.parameters(keys),
        found -> {
          var row = new Row(found);
          loading.found(
              LoadedKey.of(found, keys),
              new LineLength(row.integer(WAITING), row.number(HOOK.LAST_TURN)));
        });
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<LineLengthId, LineLength>> writes) {
    throw new IllegalArgumentException("a length is counted, not written");
  }
}
