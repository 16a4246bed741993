package dev.hapax.domain.entity;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Duration;
import java.time.Instant;

/** Renews the lease of an action, also an expired one, unless the entity was reclaimed. */
public record RenewAction(ActionClaim claim, Duration lease)
    implements EntityCommand<RenewActionOutcome> {

  @Override
  public EntityId entity() {
    return claim.entity();
  }

  @Override
  public RenewActionOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.entity());
    var held = found.flatMap(entity -> entity.heldBy(claim));
    if (held.isPresent()) {
      var renewed = held.get().renewedUntil(now.plus(lease));
      records.put(claim.entity(), found.orElseThrow().with(renewed));
      return new RenewActionOutcome.Renewed(Entity.remaining(renewed.leaseUntil(), now));
    }
    return found.filter(this::isOpen).isPresent()
        ? new RenewActionOutcome.Renewed(lease)
        : ActionClaimLost.of(claim, found);
  }

  /** A non-exclusive claim has no lease; it is valid until another caller completes. */
  private boolean isOpen(Entity found) {
    return !claim.exclusive() && found.isOpenFor(claim);
  }
}
