package dev.hapax.domain.operation;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Removes a released operation whose time to live has ended. The sweep proposes it, this command
 * decides; the outcome is whether it was removed.
 */
public record ForgetOperation(OperationId id) implements Command<Boolean> {

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
    return 128;
  }

  @Override
  public Boolean decide(BatchRecords records, Instant now) {
    var forgotten =
        records
            .get(id)
            .filter(operation -> operation instanceof Operation.Released)
            .filter(operation -> operation.isForgotten(now));
    forgotten.ifPresent(_ -> records.remove(id));
    return forgotten.isPresent();
  }
}
