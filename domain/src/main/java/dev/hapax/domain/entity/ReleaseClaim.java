package dev.hapax.domain.entity;

import dev.hapax.domain.Text;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.By;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Takes an entity back from whoever has it, because an operator says so. Whether the same request
 * has done so some releases ago is for the history to tell.
 *
 * @param requestId the operator's nonce
 */
public record ReleaseClaim(
    EntityId entity, String requestId, String reason, OptionalLong expectedVersion, By by)
    implements EntityCommand<ReleaseClaimOutcome> {
  public ReleaseClaim {
    Text.requiredName(requestId);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public ReleaseClaimOutcome decide(World world, Instant now) {
    var found = world.get(entity);
    if (found.isEmpty()) {
      return new ReleaseClaimOutcome.NotFound();
    }
    var before = found.get();
    if (before.released().filter(requestId::equals).isPresent()) {
      return new ReleaseClaimOutcome.Released(before, true);
    }
    if (expectedVersion.isPresent() && expectedVersion.getAsLong() != before.version()) {
      return new ReleaseClaimOutcome.Moved(before);
    }
    if (before.taken().isEmpty()) {
      return new ReleaseClaimOutcome.NotClaimed(before);
    }
    var change = new EntityChange.ClaimReleased(requestId, reason, before.fence().next(now));
    var released = before.then(change, now, by);
    world.put(entity, released);
    return new ReleaseClaimOutcome.Released(released, false);
  }
}
