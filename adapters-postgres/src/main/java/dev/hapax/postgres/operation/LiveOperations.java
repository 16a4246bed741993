package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;

import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.postgres.intent.PendingIntentColumn;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** The table {@code operation}. */
final class LiveOperations {
  private static final String NAME = OPERATION.getName();
  private static final List<Field<?>> KEY = List.of(OPERATION.WORKSPACE, OPERATION.ID);

  /** The columns that decisions need: all but the failure. */
  private static final List<Field<?>> LOADED =
      Stream.of(OPERATION.fields())
          .filter(field -> !KEY.contains(field) && !field.getName().startsWith("failure_"))
          .toList();

  private static final UnnestRows<OperationId> KEYS =
      new UnnestRows<>("k", OperationColumns.key(id -> id));

  private static final UnnestRows<Write<OperationId, Operation>> WRITTEN =
      new UnnestRows<>("u", OperationColumns.key(Write<OperationId, Operation>::key))
          .with(OperationColumns.live(Write::after));

  private static final UnnestRows<Write<OperationId, Operation>> DELETED =
      new UnnestRows<>("d", OperationColumns.key(Write<OperationId, Operation>::key))
          .with(OperationColumns.was(Write::before));

  private static final String LOCK = RenderedSql.text(lock());

  private static final Insertion<Write<OperationId, Operation>> INSERT =
      new Insertion<>(OPERATION, WRITTEN);

  /**
   * The row is there and locked, but an update with a join could be planned as a scan of the table.
   */
  private static final String UPDATE =
      RenderedSql.exactly(
          NAME,
          DSL.insertInto(OPERATION, WRITTEN.names())
              .select(DSL.select(WRITTEN.all()).from(WRITTEN.writeSource()))
              .onConflict(OPERATION.WORKSPACE, OPERATION.ID)
              .doUpdate()
              .set(excluded())
              .where(OPERATION.FENCE.le(DSL.excluded(OPERATION.FENCE)))
              .returning(DSL.one()));

  private static Map<Field<?>, Field<?>> excluded() {
    var excluded = new LinkedHashMap<Field<?>, Field<?>>();
    WRITTEN.names().forEach(field -> excluded.put(field, DSL.excluded(field)));
    excluded.put(OPERATION.PENDING_INTENT, DSL.castNull(OPERATION.PENDING_INTENT));
    return excluded;
  }

  private static final String DELETE =
      RenderedSql.exactly(
          NAME,
          DSL.deleteFrom(OPERATION)
              .where(RenderedSql.isAt(OPERATION, DELETED, isRow(DELETED).and(wasGranted(DELETED))))
              .returning(DSL.one()));

  /** By index, key by key in lock order: a join could be planned as a scan of the table. */
  private static Select<?> lock() {
    var row =
        DSL.select(OPERATION.WORKSPACE)
            .select(LOADED)
            .from(OPERATION)
            .where(isRow(KEYS))
            .forUpdate()
            .asTable("o");
    return DSL.select(KEYS.number())
        .select(row.fields())
        .from(KEYS.table(), DSL.lateral(row))
        .orderBy(KEYS.number());
  }

  private static Condition isRow(UnnestRows<?> sent) {
    return OPERATION
        .WORKSPACE
        .eq(sent.get(OPERATION.WORKSPACE))
        .and(OPERATION.ID.eq(sent.get(OPERATION.ID)));
  }

  private static Condition wasGranted(UnnestRows<?> sent) {
    return OPERATION
        .NONCE
        .eq(sent.get(OperationColumns.WAS_NONCE, OPERATION.NONCE))
        .and(OPERATION.FENCE.eq(sent.get(OperationColumns.WAS_FENCE, OPERATION.FENCE)));
  }

  void lock(Pipeline pipeline, List<OperationId> keys, Loading<OperationId, Operation> loading) {
    pipeline.query(
        LOCK,
        KEYS.parameters(keys),
        row -> {
          var id = LoadedKey.of(row, keys);
          loading.found(id, OperationRows.live(id.workspace(), row));
          PendingIntentColumn.read(OPERATION.PENDING_INTENT, id, row, loading);
        });
  }

  void insert(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    INSERT.add(pipeline, writes);
  }

  void update(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    pipeline.write(UPDATE, WRITTEN, writes);
  }

  void delete(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    pipeline.write(DELETE, DELETED, writes);
  }
}
