package dev.hapax.domain.entity;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the lease from ending; also a lease that is over but that nobody has taken.
 *
 * @param lease empty = the one that the contract of the janitor says
 */
public record RenewAction(ActionClaim claim, Optional<Duration> lease)
    implements EntityCommand<RenewActionOutcome> {

  @Override
  public EntityId entity() {
    return claim.entity();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return lease.isPresent() ? List.of(entity()) : List.of(entity(), janitor());
  }

  private JanitorId janitor() {
    return new JanitorId(workspace(), claim.module());
  }

  @Override
  public RenewActionOutcome decide(World world, Instant now) {
    var wanted = lease.orElseGet(() -> world.get(janitor()).orElse(Janitor.NONE).staleAfter());
    var found = world.get(claim.entity());
    var held = found.flatMap(entity -> entity.heldBy(claim));
    if (held.isPresent()) {
      var renewed = held.get().renewedUntil(now.plus(wanted));
      world.put(claim.entity(), found.orElseThrow().with(renewed));
      return new RenewActionOutcome.Renewed(Entity.remaining(renewed.leaseUntil(), now));
    }
    return found.filter(this::isOpen).isPresent()
        ? new RenewActionOutcome.Renewed(wanted)
        : ClaimLost.tell(claim, found);
  }

  /** There is no lease, but as long as nobody else was first it makes sense to go on. */
  private boolean isOpen(Entity found) {
    return !claim.exclusive() && found.isOpenFor(claim);
  }
}
