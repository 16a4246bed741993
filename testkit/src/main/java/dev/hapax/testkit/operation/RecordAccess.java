package dev.hapax.testkit.operation;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** A command that reads or writes a record without a decision. */
public record RecordAccess<O>(OperationId id, BiFunction<BatchRecords, Instant, O> access)
    implements Command<O> {

  /** Reads the record as the ledger loads it. */
  public static Command<Optional<Operation>> read(OperationId id) {
    return new RecordAccess<>(id, (records, _) -> records.get(id));
  }

  /** Stores the record; empty = removes it. */
  public static Command<Boolean> write(OperationId id, Optional<Operation> operation) {
    return new RecordAccess<>(
        id,
        (records, _) -> {
          operation.ifPresentOrElse(o -> records.put(id, o), () -> records.remove(id));
          return true;
        });
  }

  /** Reads the ledger's time. */
  public static Command<Instant> time(OperationId id) {
    return new RecordAccess<>(id, (_, now) -> now);
  }

  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public Collection<OperationId> keys() {
    return List.of(id);
  }

  @Override
  public Object route() {
    return id;
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return 64;
  }

  @Override
  public O decide(BatchRecords records, Instant now) {
    return access.apply(records, now);
  }
}
