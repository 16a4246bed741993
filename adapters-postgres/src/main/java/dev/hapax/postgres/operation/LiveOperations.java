package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;

import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.postgres.intent.PendingIntentColumn;
import dev.hapax.postgres.ledger.HeldRows;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordMemory;
import dev.hapax.postgres.ledger.RecordTable.Held;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowVersion;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** The table {@code operation}. */
final class LiveOperations {
  private static final AttemptId NO_ATTEMPT = new AttemptId(new UUID(0, 0));
  private static final String NAME = OPERATION.getName();
  private static final List<Field<?>> KEY = List.of(OPERATION.WORKSPACE, OPERATION.ID);

  /** The columns that decisions need: all but the failure. */
  private static final List<Field<?>> LOADED =
      Stream.of(OPERATION.fields())
          .filter(field -> !KEY.contains(field) && !field.getName().startsWith("failure_"))
          .toList();

  private static final UnnestRows<OperationId> KEYS =
      new UnnestRows<>("k", OperationColumns.key(id -> id));

  private static final UnnestRows<Write<OperationId, Operation>> ROW =
      new UnnestRows<>("u", OperationColumns.key(Write<OperationId, Operation>::key));

  private static final UnnestRows<Write<OperationId, Operation>> REPLACED =
      ROW.with(List.of(RowVersion.column(Write::replacedVersion)));

  /** The columns that a write returns, to be remembered. */
  private static final List<Field<?>> RETURNED = List.of(OPERATION.ID, RowVersion.of(OPERATION));

  private static final String LOCK = RenderedSql.text(lock());

  private static final Insertion<Write<OperationId, Operation>> INSERT =
      new Insertion<>(OPERATION, ROW.with(OperationColumns.live(Write::after))).returning(RETURNED);

  private static final UnnestRows<Write<OperationId, Operation>> CHANGED =
      REPLACED.with(OperationColumns.live(Write::after));

  private static final String UPDATE =
      RenderedSql.exactlyReturning(
          NAME,
          DSL.update(OPERATION)
              .set(changed())
              .from(CHANGED.writeSource())
              .where(isReplaced(CHANGED))
              .returning(RETURNED));

  private static Map<Field<?>, Field<?>> changed() {
    var changed = CHANGED.assignments();
    REPLACED.names().forEach(changed::remove);
    changed.put(OPERATION.PENDING_INTENT, DSL.castNull(OPERATION.PENDING_INTENT));
    return changed;
  }

  private static final String DELETE =
      RenderedSql.exactly(
          NAME,
          DSL.deleteFrom(OPERATION)
              .using(REPLACED.writeSource())
              .where(isReplaced(REPLACED))
              .returning(DSL.one()));

  /** Of rows that this transaction has inserted. */
  private static final String DELETE_OWN =
      RenderedSql.exactly(
          NAME,
          DSL.deleteFrom(OPERATION)
              .using(ROW.writeSource())
              .where(RowVersion.isKey(ROW, KEY))
              .returning(DSL.one()));

  private static final HeldRows<OperationId> HELD =
      new HeldRows<>(OPERATION, KEY, OperationColumns.key(id -> id));

  /** Approximately, in bytes. */
  private static final int SIZE = 1_024;

  /** The operations in progress: most are ended next, on this node. */
  private final RecordMemory<OperationId, Operation> memory =
      new RecordMemory<>(OPERATION.ID, OperationId::hash, _ -> SIZE);

  /** By index, key by key in lock order: a join could be planned as a scan of the table. */
  private static Select<?> lock() {
    var row =
        DSL.select(OPERATION.WORKSPACE)
            .select(LOADED)
            .select(RowVersion.of(OPERATION))
            .from(OPERATION)
            .where(
                OPERATION.WORKSPACE.eq(KEYS.get(OPERATION.WORKSPACE)),
                OPERATION.ID.eq(KEYS.get(OPERATION.ID)))
            .forUpdate()
            .asTable("o");
    return DSL.select(KEYS.number())
        .select(row.fields())
        .from(KEYS.table(), DSL.lateral(row))
        .orderBy(KEYS.number());
  }

  private static Condition isReplaced(UnnestRows<?> sent) {
    return RowVersion.isSent(OPERATION, sent, KEY);
  }

  RecordMemory<OperationId, Operation> memory() {
    return memory;
  }

  void lock(Pipeline pipeline, List<OperationId> keys, Loading<OperationId, Operation> loading) {
    pipeline.query(
        LOCK,
        KEYS.parameters(keys),
        row -> {
          var id = LoadedKey.of(row, keys);
          loading.found(id, OperationRows.live(id.workspace(), row), RowVersion.read(row));
          PendingIntentColumn.read(OPERATION.PENDING_INTENT, id, row, loading);
        });
  }

  void insert(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    INSERT.add(pipeline, writes.stream().map(LiveOperations::live).toList(), reader(writes));
  }

  /**
   * The write of a live row. An operation that ends in the batch it began in has one meanwhile, so
   * that rivals collide.
   */
  private static Write<OperationId, Operation> live(Write<OperationId, Operation> write) {
    var after = write.kept();
    return switch (after) {
      case Operation.InProgress _, Operation.Indeterminate _, Operation.Released _ -> write;
      case Operation.Completed _, Operation.Rejected _ ->
          new Write<>(
              write.key(),
              write.before(),
              new Operation.InProgress(
                  after.subject(),
                  after.grant(),
                  NO_ATTEMPT,
                  after.grant().at(),
                  OnStale.TAKE_OVER));
    };
  }

  void update(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    pipeline.write(UPDATE, CHANGED, writes, reader(writes));
  }

  private Pipeline.Rows reader(List<Write<OperationId, Operation>> writes) {
    return memory.reader(
        writes.stream()
            .filter(write -> write.after() instanceof Operation.InProgress)
            .collect(Collectors.toMap(Write::key, Write::kept)));
  }

  void hold(Pipeline pipeline, List<Held<OperationId>> held) {
    HELD.hold(pipeline, held);
  }

  void delete(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    pipeline.write(DELETE, REPLACED, writes);
  }

  void deleteOwn(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    pipeline.write(DELETE_OWN, ROW, writes);
  }
}
