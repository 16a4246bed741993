package dev.hapax.domain.operation;

import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.Optional;

/** Completes an operation with its result. */
public record CompleteOperation(
    OperationClaim claim, Optional<Payload> result, Optional<String> accountAfter)
    implements OperationCommand<CompleteOutcome> {

  @Override
  public OperationId id() {
    return claim.id();
  }

  @Override
  public int size() {
    return 512 + result.map(Payload::size).orElse(0);
  }

  @Override
  public CompleteOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.id());
    if (found.isEmpty() || !found.get().grant().isHeldBy(claim)) {
      return OperationClaimLost.of(claim, found);
    }
    return switch (found.get()) {
      case Operation.InProgress held -> complete(records, now, held);
      case Operation.Indeterminate held -> complete(records, now, held);
      case Operation.Completed _ -> new CompleteOutcome.Completed(true);
      case Operation.Released _, Operation.Rejected _ -> OperationClaimLost.of(claim, found);
    };
  }

  private CompleteOutcome complete(BatchRecords records, Instant now, Operation held) {
    records.put(
        claim.id(),
        new Operation.Completed(held.subject(), held.grant(), now, result, accountAfter));
    return new CompleteOutcome.Completed(false);
  }
}
