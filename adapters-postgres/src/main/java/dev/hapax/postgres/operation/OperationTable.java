package dev.hapax.postgres.operation;

import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.PostponedBatch;
import dev.hapax.postgres.ledger.RecordMemory;
import dev.hapax.postgres.ledger.RecordTable;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of operations: rivals lock or insert the row of a live one in {@code operation}; an
 * answer goes to {@code operation_result}, append-only. A key has one row in one of them.
 */
public final class OperationTable implements RecordTable<OperationId, Operation> {
  private final LiveOperations live = new LiveOperations();
  private final FinishedOperations finished;

  public OperationTable(ResultPartitions partitions) {
    this.finished = new FinishedOperations(partitions);
  }

  @Override
  public Class<OperationId> keys() {
    return OperationId.class;
  }

  @Override
  public Comparator<OperationId> lockOrder() {
    return Comparator.comparing(OperationId::workspace).thenComparing(OperationId::hash);
  }

  @Override
  public void lock(
      Pipeline pipeline, List<OperationId> keys, Loading<OperationId, Operation> loading) {
    live.lock(pipeline, keys, loading);
  }

  @Override
  public void lookUp(
      Pipeline pipeline, List<OperationId> absent, Loading<OperationId, Operation> loading) {
    finished.lookUp(pipeline, absent, loading);
  }

  @Override
  public Optional<PostponedBatch> postponed(List<Write<OperationId, Operation>> writes) {
    return finished.postponed(only(writes, w -> isFinished(w.after())).toList());
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    live.insert(pipeline, only(writes, OperationTable::insertsLiveRow).toList());
  }

  @Override
  public Optional<RecordMemory<OperationId, Operation>> memory() {
    return Optional.of(live.memory());
  }

  /** Only live operations are remembered. */
  @Override
  public void hold(Pipeline pipeline, List<Held<OperationId>> rows) {
    live.hold(pipeline, rows);
  }

  @Override
  public boolean changesInOrder(List<Write<OperationId, Operation>> writes) {
    return only(writes, OperationTable::updatesLiveRow).findAny().isEmpty()
        || only(writes, OperationTable::deletesLiveRow).findAny().isEmpty();
  }

  @Override
  public void change(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    live.update(pipeline, only(writes, OperationTable::updatesLiveRow).toList());
    live.delete(pipeline, only(writes, OperationTable::deletesLiveRow).toList());
    finished.insert(pipeline, only(writes, w -> isFinished(w.after())).toList());
    live.deleteOwn(
        pipeline, only(writes, w -> insertsLiveRow(w) && isFinished(w.after())).toList());
    finished.delete(pipeline, only(writes, w -> isFinished(w.before())).toList());
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
    finished.verifyNoOther(pipeline, only(writes, OperationTable::insertsLiveRow).toList());
  }

  /** Whether a live row is inserted, as rivals may do. */
  private static boolean insertsLiveRow(Write<OperationId, Operation> write) {
    return !isLive(write.before()) && write.after() != null;
  }

  private static boolean updatesLiveRow(Write<OperationId, Operation> write) {
    return isLive(write.before()) && isLive(write.after());
  }

  private static boolean deletesLiveRow(Write<OperationId, Operation> write) {
    return isLive(write.before()) && !isLive(write.after());
  }

  private static Stream<Write<OperationId, Operation>> only(
      List<Write<OperationId, Operation>> writes, Predicate<Write<OperationId, Operation>> which) {
    return writes.stream().filter(which);
  }

  private static boolean isLive(@Nullable Operation operation) {
    return switch (operation) {
      case null -> false;
      case Operation.InProgress _, Operation.Indeterminate _, Operation.Released _ -> true;
      case Operation.Completed _, Operation.Rejected _ -> false;
    };
  }

  private static boolean isFinished(@Nullable Operation operation) {
    return operation != null && !isLive(operation);
  }
}
