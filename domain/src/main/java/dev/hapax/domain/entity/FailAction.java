package dev.hapax.domain.entity;

import dev.hapax.domain.Failure;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Actor;
import java.time.Instant;

/** Says that an action came to nothing. */
public record FailAction(ActionClaim claim, ActionFailureKind kind, String message, Actor by)
    implements EntityCommand<FailActionOutcome> {
  public FailAction {
    Failure.requireMessage(message);
  }

  @Override
  public EntityId entity() {
    return claim.entity();
  }

  @Override
  public int size() {
    return SIZE + message.length();
  }

  @Override
  public FailActionOutcome decide(World world, Instant now) {
    var found = world.get(claim.entity());
    if (found.isEmpty()) {
      return ActionClaimLost.tell(claim, found);
    }
    var entity = found.get();
    var ended = entity.last().filter(last -> last.isOf(claim));
    if (ended.filter(last -> last.how() == EndedGrant.How.FAILED).isPresent()) {
      return new FailActionOutcome.Failed(entity, true);
    }
    if (!claim.exclusive()) {
      // nothing was begun, so nothing is to be taken back
      return ended.isPresent() || claim.version() > entity.version()
          ? ActionClaimLost.tell(claim, found)
          : new FailActionOutcome.Failed(entity, false);
    }
    return entity
        .heldBy(claim)
        .<FailActionOutcome>map(_ -> new FailActionOutcome.Failed(fail(world, now, entity), false))
        .orElseGet(() -> ActionClaimLost.tell(claim, found));
  }

  private Entity fail(World world, Instant now, Entity held) {
    var change = new EntityChange.ActionFailed(kind, message);
    var failed = held.then(change, now, new Actor(by.actor(), claim.nonce()));
    world.put(held.id(), failed);
    return failed;
  }
}
