package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;

import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.PostponedBatch;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.ledger.UnnestRows;
import java.time.LocalDate;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code operation_result}. */
final class FinishedOperations {
  private static final String NAME = OPERATION_RESULT.getName();

  private static final List<Field<?>> KEY =
      List.of(OPERATION_RESULT.WORKSPACE, OPERATION_RESULT.ID);
  private static final List<Field<?>> ANSWER =
      List.of(OPERATION_RESULT.JSON, OPERATION_RESULT.BYTES);
  private static final List<Field<?>> LOADED =
      Stream.of(OPERATION_RESULT.fields())
          .filter(field -> !KEY.contains(field) && !ANSWER.contains(field))
          .toList();

  private static final List<Field<?>> SELECTED =
      Stream.of(List.<Field<?>>of(OPERATION_RESULT.WORKSPACE), LOADED, ANSWER)
          .flatMap(List::stream)
          .toList();

  private static final UnnestRows<OperationId> KEYS =
      new UnnestRows<>("k", OperationColumns.key(id -> id));

  private static final UnnestRows<Write<OperationId, Operation>> INSERTED =
      new UnnestRows<>("u", OperationColumns.key(Write<OperationId, Operation>::key))
          .with(OperationColumns.finished(Write::after));

  private static final UnnestRows<Write<OperationId, Operation>> DELETED =
      new UnnestRows<>("d", OperationColumns.key(Write<OperationId, Operation>::key))
          .with(OperationColumns.was(Write::before));

  private static final String LOOK_UP = RenderedSql.text(lookUp());

  private static final Insertion<Write<OperationId, Operation>> INSERT =
      new Insertion<>(OPERATION_RESULT, INSERTED);

  /** Compares the key as well: each partition has a row at the same ctid. */
  private static final String DELETE =
      RenderedSql.exactly(
          NAME,
          DSL.deleteFrom(OPERATION_RESULT)
              .where(RenderedSql.isAt(OPERATION_RESULT, DELETED, wasKept()))
              .and(DSL.exists(DSL.selectOne().from(DELETED.table()).where(wasKept())))
              .returning(DSL.one()));

  private static final String COUNT =
      RenderedSql.exactly(
          NAME,
          DSL.select(DSL.one())
              .from(KEYS.table(), DSL.lateral(kept(List.of(OPERATION_RESULT.FENCE)))));

  private final ResultPartitions partitions;

  FinishedOperations(ResultPartitions partitions) {
    this.partitions = partitions;
  }

  private static Condition wasKept() {
    return isKept(DELETED)
        .and(
            OPERATION_RESULT.FENCE.eq(
                DELETED.get(OperationColumns.WAS_FENCE, OPERATION_RESULT.FENCE)));
  }

  private static Condition isKept(UnnestRows<?> keys) {
    return OPERATION_RESULT
        .WORKSPACE
        .eq(keys.get(OPERATION_RESULT.WORKSPACE))
        .and(OPERATION_RESULT.ID.eq(keys.get(OPERATION_RESULT.ID)))
        // skips the partitions that wait to be dropped
        .and(OPERATION_RESULT.PURGE_ON.ge(DSL.currentLocalDate()));
  }

  /** The row of a key by index; without the limit it could be planned as a scan. */
  private static Table<?> kept(List<Field<?>> fields) {
    return DSL.select(fields)
        .from(OPERATION_RESULT)
        .where(isKept(KEYS))
        .limit(DSL.inline(1))
        .asTable("r");
  }

  private static Select<?> lookUp() {
    var row = kept(SELECTED);
    return SizeBoundedSelect.of(
        DSL.select(KEYS.number()).select(row.fields()).from(KEYS.table(), DSL.lateral(row)),
        KEYS.number(),
        ANSWER);
  }

  void lookUp(Pipeline pipeline, List<OperationId> keys, Loading<OperationId, Operation> loading) {
    pipeline.query(
        LOOK_UP,
        KEYS.parameters(keys),
        row -> {
          var id = LoadedKey.of(row, keys);
          if (SizeBoundedSelect.isTruncated(row)) {
            loading.deferred(id);
          } else {
            loading.found(id, OperationRows.finished(id.workspace(), row));
          }
        });
  }

  /** Returns the writes whose day has no partition yet. */
  Optional<PostponedBatch> postponed(List<Write<OperationId, Operation>> writes) {
    var days = new TreeSet<LocalDate>();
    var keys = new HashSet<RecordKey<?>>();
    for (var write : writes) {
      var day = OperationColumns.purgeOn(write.kept());
      if (!partitions.exists(day)) {
        days.add(day);
        keys.add(write.key());
      }
    }
    return keys.isEmpty()
        ? Optional.empty()
        : Optional.of(new PostponedBatch(keys, partitions.missing(days)));
  }

  void insert(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    INSERT.add(pipeline, writes);
  }

  void delete(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    if (!writes.isEmpty()) {
      var parameters = DELETED.parameters(writes);
      parameters.addAll(DELETED.parameters(writes));
      parameters.add((long) writes.size());
      pipeline.write(DELETE, parameters);
    }
  }

  /**
   * Checks that no other node has finished these keys. The inserted live rows block rivals from now
   * on, but a rival may have finished before. Expects only the rows of this batch.
   */
  void verifyNoOther(Pipeline pipeline, List<Write<OperationId, Operation>> inserted) {
    if (!inserted.isEmpty()) {
      var parameters = KEYS.parameters(inserted.stream().map(Write::key).toList());
      parameters.add(inserted.stream().filter(write -> isFinished(write.after())).count());
      pipeline.write(COUNT, parameters);
    }
  }

  private static boolean isFinished(@Nullable Operation operation) {
    return operation instanceof Operation.Completed || operation instanceof Operation.Rejected;
  }
}
