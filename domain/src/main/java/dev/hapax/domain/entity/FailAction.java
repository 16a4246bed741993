package dev.hapax.domain.entity;

import dev.hapax.domain.Failure;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.run.Actor;
import java.time.Instant;

/** Fails an action; the entity reverts. */
public record FailAction(ActionClaim claim, ActionFailureKind kind, String message, Actor actor)
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
  public FailActionOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.entity());
    if (found.isEmpty()) {
      return ActionClaimLost.of(claim, found);
    }
    var entity = found.get();
    var ended = entity.last().filter(last -> last.isOf(claim));
    if (ended.filter(last -> last.how() == EndedGrant.How.FAILED).isPresent()) {
      return new FailActionOutcome.Failed(entity, true);
    }
    if (!claim.exclusive()) {
      // without a claim there is nothing to revert
      return ended.isPresent() || claim.version() > entity.version()
          ? ActionClaimLost.of(claim, found)
          : new FailActionOutcome.Failed(entity, false);
    }
    return entity
        .heldBy(claim)
        .<FailActionOutcome>map(
            _ -> new FailActionOutcome.Failed(fail(records, now, entity), false))
        .orElseGet(() -> ActionClaimLost.of(claim, found));
  }

  private Entity fail(BatchRecords records, Instant now, Entity held) {
    var change = new EntityChange.ActionFailed(kind, message);
    var failed = held.then(change, now, actor.holding(claim.nonce()));
    records.put(held.id(), failed);
    return failed;
  }
}
