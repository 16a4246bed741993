package dev.hapax.domain.entity;

import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TraceParent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Optional;

/**
 * Completes an action successfully, and starts its after-effect.
 *
 * @param output stored in the history, and passed to the after-effect
 * @param effect random id, for the run of the after-effect if it has one
 * @param trace the span of the caller, for that run
 */
public record CompleteAction(
    ActionClaim claim,
    Optional<Payload> output,
    RunId effect,
    Optional<TraceParent> trace,
    Actor actor)
    implements EntityCommand<CompleteActionOutcome> {
  /** Completes an action for no span. */
  public CompleteAction(ActionClaim claim, Optional<Payload> output, RunId effect, Actor actor) {
    this(claim, output, effect, Optional.empty(), actor);
  }

  @Override
  public EntityId entity() {
    return claim.entity();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    var keys = new ArrayList<RecordKey<?>>();
    keys.add(claim.entity());
    if (!claim.exclusive()) {
      keys.add(claim.entity().lifecycleId());
    }
    if (claim.hasEffect()) {
      keys.addAll(AfterEffect.keys(claim.entity(), claim.version() + 1, effect));
    }
    return keys;
  }

  @Override
  public int size() {
    return SIZE + output.map(Payload::size).orElse(0);
  }

  @Override
  public CompleteActionOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.entity());
    if (found.isEmpty()) {
      return ActionClaimLost.of(claim, found);
    }
    var entity = found.get();
    if (entity.last().filter(this::isOfClaim).isPresent()) {
      return new CompleteActionOutcome.Completed(entity, Optional.empty(), true);
    }
    return claim.exclusive()
        ? entity
            .heldBy(claim)
            .map(held -> complete(records, now, entity, held.action().transition()))
            .orElseGet(() -> ActionClaimLost.of(claim, found))
        : compare(records, now, entity);
  }

  private boolean isOfClaim(EndedGrant last) {
    return last.isOf(claim) && last.how() == EndedGrant.How.COMPLETED;
  }

  private CompleteActionOutcome compare(BatchRecords records, Instant now, Entity entity) {
    if (!entity.isOpenFor(claim)) {
      return ActionClaimLost.of(claim, Optional.of(entity));
    }
    var applied = records.get(entity.id().lifecycleId());
    var transition =
        applied
            .flatMap(
                is -> is.lifecycle().transition(claim.step(), claim.requester(), entity.status()))
            .filter(granted -> granted.digest() == claim.terms());
    if (transition.isEmpty()) {
      // the fence makes this answer final, even if the lifecycle is changed back
      records.put(entity.id(), entity.pastFence(claim));
      return new ActionClaimLost(ActionClaimLost.Reason.LIFECYCLE_CHANGED);
    }
    return applied.filter(is -> is.isRetiring(transition.get(), now)).isPresent()
        ? new CompleteActionOutcome.Changing()
        : complete(records, now, entity, transition.get());
  }

  private CompleteActionOutcome complete(
      BatchRecords records, Instant now, Entity entity, Transition transition) {
    var holder = actor.holding(claim.nonce());
    // without a claim, the new fence invalidates the other grants of this version
    var fence = claim.exclusive() ? entity.fence() : entity.fence().next(now);
    var change =
        new EntityChange.ActionCompleted(
            transition.step(), transition.requester(), transition.to(), fence, output);
    var completed = entity.then(change, now, holder);
    records.put(entity.id(), completed);
    return new CompleteActionOutcome.Completed(
        completed,
        AfterEffect.start(records, now, completed, transition, output, effect, trace, holder),
        false);
  }
}
