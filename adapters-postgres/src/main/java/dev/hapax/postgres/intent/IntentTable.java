package dev.hapax.postgres.intent;

import static dev.hapax.postgres.schema.Tables.INBOX;
import static dev.hapax.postgres.schema.Tables.INTENT_OUTCOME;

import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.impl.DSL;

/**
 * The tables of intents: a posted one has a row in {@code inbox}, and a taken one in {@code
 * intent_outcome}. Only SQL functions insert the former. Taken intents are not loaded: to a
 * decision they are absent.
 */
public final class IntentTable implements RecordTable<IntentId, Intent> {
  private static final UnnestRows<IntentId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<IntentId, Intent>> CHANGED =
      new UnnestRows<>("u", key(Write<IntentId, Intent>::key))
          .with(
              List.of(
                  new Column<>(
                      INBOX.TRIES.getName(), Kind.SHORT, write -> (short) write.kept().tries()),
                  new Column<>(
                      INBOX.NOT_BEFORE.getName(),
                      Kind.INSTANT,
                      write ->
                          write.kept() instanceof Intent.Posted posted
                              ? posted.notBefore().orElse(null)
                              : null)));

  private static final UnnestRows<Write<IntentId, Intent>> TAKEN =
      new UnnestRows<>("d", key(Write<IntentId, Intent>::key));

  private static final String LOCK =
      RenderedSql.text(
          KEYS.each(
              DSL.select(
                      INBOX.WORKSPACE,
                      INBOX.VERB,
                      INBOX.ROLE,
                      INBOX.POSTED_AT,
                      INBOX.TRIES,
                      INBOX.NOT_BEFORE)
                  .from(INBOX)
                  .where(isRow(KEYS))
                  .forUpdate()));

  private static final Insertion<Write<IntentId, Intent>> OUTCOMES =
      new Insertion<>(
          INTENT_OUTCOME,
          new UnnestRows<>("o", key(Write<IntentId, Intent>::key)).with(OutcomeColumns.ALL));

  private static final String UPDATE =
      RenderedSql.exactly(
          INBOX.getName(),
          DSL.update(INBOX)
              .set(INBOX.TRIES, CHANGED.get(INBOX.TRIES))
              .set(INBOX.NOT_BEFORE, CHANGED.get(INBOX.NOT_BEFORE))
              .from(CHANGED.table())
              .where(isRow(CHANGED))
              .returning(DSL.one()));

  private static final String DELETE =
      RenderedSql.exactly(
          INBOX.getName(),
          DSL.deleteFrom(INBOX)
              .where(RenderedSql.isAt(INBOX, TAKEN, isRow(TAKEN)))
              .returning(DSL.one()));

  static <R> List<Column<R>> key(Function<R, IntentId> id) {
    return List.of(
        new Column<>(INBOX.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(INBOX.ID.getName(), Kind.UUID, row -> id.apply(row).uuid()));
  }

  private static Condition isRow(UnnestRows<?> sent) {
    return INBOX.WORKSPACE.eq(sent.get(INBOX.WORKSPACE)).and(INBOX.ID.eq(sent.get(INBOX.ID)));
  }

  @Override
  public Class<IntentId> keys() {
    return IntentId.class;
  }

  @Override
  public Comparator<IntentId> lockOrder() {
    return Comparator.comparing(IntentId::workspace).thenComparing(IntentId::uuid);
  }

  @Override
  public void lock(Pipeline pipeline, List<IntentId> keys, Loading<IntentId, Intent> loading) {
    pipeline.query(
        LOCK,
        KEYS.parameters(keys),
        row -> loading.found(LoadedKey.of(row, keys), IntentRows.posted(new Row(row))));
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<IntentId, Intent>> writes) {
    OUTCOMES.add(pipeline, taken(writes).toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<IntentId, Intent>> writes) {
    pipeline.write(DELETE, TAKEN, taken(writes).toList());
    pipeline.write(
        UPDATE,
        CHANGED,
        writes.stream().filter(write -> write.kept() instanceof Intent.Posted).toList());
  }

  private static Stream<Write<IntentId, Intent>> taken(List<Write<IntentId, Intent>> writes) {
    return writes.stream().filter(write -> write.kept() instanceof Intent.Taken);
  }
}
