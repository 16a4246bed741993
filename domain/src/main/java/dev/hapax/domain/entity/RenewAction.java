package dev.hapax.domain.entity;

import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;

/** Keeps the lease from expiring; also one that has expired while no other took the entity. */
public record RenewAction(ActionClaim claim, Duration lease)
    implements EntityCommand<RenewActionOutcome> {

  @Override
  public EntityId entity() {
    return claim.entity();
  }

  @Override
  public RenewActionOutcome decide(World world, Instant now) {
    var found = world.get(claim.entity());
    var held = found.flatMap(entity -> entity.heldBy(claim));
    if (held.isPresent()) {
      var renewed = held.get().renewedUntil(now.plus(lease));
      world.put(claim.entity(), found.orElseThrow().with(renewed));
      return new RenewActionOutcome.Renewed(Entity.remaining(renewed.leaseUntil(), now));
    }
    return found.filter(this::isOpen).isPresent()
        ? new RenewActionOutcome.Renewed(lease)
        : ActionClaimLost.tell(claim, found);
  }

  /** There is no lease, but as long as nobody else was first it makes sense to go on. */
  private boolean isOpen(Entity found) {
    return !claim.exclusive() && found.isOpenFor(claim);
  }
}
