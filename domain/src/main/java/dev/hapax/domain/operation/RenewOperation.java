package dev.hapax.domain.operation;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Keeps the lease from ending; also a lease that is over but that nobody has taken. */
public record RenewOperation(OperationClaim claim, Duration lease)
    implements Command<RenewOutcome> {

  @Override
  public Workspace workspace() {
    return claim.id().workspace();
  }

  @Override
  public Collection<OperationId> keys() {
    return List.of(claim.id());
  }

  @Override
  public Object route() {
    return claim.id();
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return 256;
  }

  @Override
  public RenewOutcome decide(World world, Instant now) {
    var found = world.get(claim.id());
    if (found.isPresent()
        && found.get() instanceof Operation.InProgress held
        && held.grant().isHeldBy(claim)) {
      var renewed = held.renewedUntil(now.plus(lease));
      world.put(claim.id(), renewed);
      return new RenewOutcome.Renewed(Duration.between(now, renewed.leaseUntil()));
    }
    return ClaimLost.tell(claim, found);
  }
}
