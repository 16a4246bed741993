package dev.hapax.domain.entity;

import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TraceParent;
import java.time.Instant;
import java.util.Optional;

/**
 * Completes the action that holds an entity, whose holder has proved its claim elsewhere.
 *
 * @param nonce of the claim
 * @param output stored in the history, and passed to the after-effect
 * @param effect random id, for the run of the after-effect if it has one
 * @param trace the span of the caller, for that run
 */
public record CompleteHeldAction(
    EntityId entity,
    long nonce,
    Optional<Payload> output,
    RunId effect,
    Optional<TraceParent> trace,
    Actor actor)
    implements EntityCommand<CompleteActionOutcome> {

  @Override
  public int size() {
    return SIZE + output.map(Payload::size).orElse(0);
  }

  @Override
  public CompleteActionOutcome decide(BatchRecords records, Instant now) {
    var claim = records.get(entity).flatMap(Entity::claim).filter(held -> held.nonce() == nonce);
    if (claim.isEmpty()) {
      return new ActionClaimLost(ActionClaimLost.Reason.ENDED);
    }
    var command = new CompleteAction(claim.get(), output, effect, trace, actor);
    records.lock(command.keys());
    return command.decide(records, now);
  }
}
