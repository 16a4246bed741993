package dev.hapax.domain.operation;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Renews the lease of an operation, also an expired one, unless another holder or an operator has
 * taken the operation.
 */
public record RenewOperation(OperationClaim claim, Duration lease)
    implements OperationCommand<RenewOutcome> {

  @Override
  public OperationId id() {
    return claim.id();
  }

  @Override
  public int size() {
    return 256;
  }

  @Override
  public RenewOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.id());
    var renewed = found.filter(op -> op.grant().isHeldBy(claim)).flatMap(op -> renewed(op, now));
    renewed.ifPresent(held -> records.put(claim.id(), held));
    return renewed
        .<RenewOutcome>map(
            held -> new RenewOutcome.Renewed(Duration.between(now, held.leaseUntil())))
        .orElseGet(() -> OperationClaimLost.of(claim, found));
  }

  private Optional<Operation.InProgress> renewed(Operation operation, Instant now) {
    var until = now.plus(lease);
    return switch (operation) {
      case Operation.InProgress held -> Optional.of(held.renewedUntil(until));
      case Operation.Indeterminate held -> held.renewedUntil(until);
      case Operation.Released _, Operation.Completed _, Operation.Rejected _ -> Optional.empty();
    };
  }
}
