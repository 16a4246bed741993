package dev.hapax.domain.operation;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;

/**
 * Removes a released operation whose time to live has ended. The sweep proposes it, this command
 * decides; the outcome is whether it was removed.
 */
public record ForgetOperation(OperationId id) implements OperationCommand<Boolean> {

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
