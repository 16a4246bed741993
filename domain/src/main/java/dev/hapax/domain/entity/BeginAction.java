package dev.hapax.domain.entity;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Begins an action on an entity: grants it, or reports the holder or the reason for refusal.
 *
 * @param lease empty = the default of the janitor's contract
 * @param nonce random, for the grant that this command may create
 * @param module the likely owner of the entity: its janitor is locked in the first decision, which
 *     saves a second one
 */
public record BeginAction(
    EntityId entity,
    String step,
    String requester,
    AttemptId attempt,
    Optional<Duration> lease,
    OptionalLong expectedVersion,
    long nonce,
    String module,
    Actor actor)
    implements EntityCommand<BeginActionOutcome> {

  /** Returns the command with this module as the likely owner. */
  public BeginAction expecting(String owner) {
    return new BeginAction(
        entity, step, requester, attempt, lease, expectedVersion, nonce, owner, actor);
  }

  private JanitorId janitor() {
    return new JanitorId(workspace(), module);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(entity, entity.lifecycleId(), janitor());
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public BeginActionOutcome decide(BatchRecords records, Instant now) {
    var applied = records.get(entity.lifecycleId());
    var found = records.get(entity);
    if (applied.isEmpty()) {
      return new BeginActionOutcome.NoLifecycle();
    }
    if (found.isEmpty()) {
      return new BeginActionOutcome.NoEntity();
    }
    var owned = expecting(applied.get().lifecycle().module());
    records.share(List.of(owned.janitor()));
    return owned.decide(records, now, found.get(), applied.get());
  }

  private BeginActionOutcome decide(
      BatchRecords records, Instant now, Entity found, AppliedLifecycle applied) {
    var own = found.claimed().filter(this::isOfSameAttempt);
    if (own.isPresent()) {
      return reenter(records, now, found, own.get());
    }
    return applied.lifecycle().allows(step, requester)
        ? compete(records, now, found, applied)
        : new BeginActionOutcome.NotAllowed();
  }

  private boolean isOfSameAttempt(ClaimState.Claimed held) {
    var transition = held.action().transition();
    return held.action().attempt().equals(attempt)
        && transition.step().equals(step)
        && transition.requester().equals(requester);
  }

  private BeginActionOutcome reenter(
      BatchRecords records, Instant now, Entity held, ClaimState.Claimed own) {
    var lease = leaseOf(records);
    var renewed = own.renewedUntil(now.plus(lease));
    var entityNow = held.with(renewed);
    records.put(entity, entityNow);
    return granted(entityNow, lease, own.action().transition(), renewed, now, true);
  }

  /** Checks for a live claim before versions: the claim itself has raised the version. */
  private BeginActionOutcome compete(
      BatchRecords records, Instant now, Entity found, AppliedLifecycle applied) {
    return switch (found.hold()) {
      case ClaimState.Claimed held when !held.isStale(now) ->
          new BeginActionOutcome.ClaimFailed(
              held.action(), Entity.remaining(held.leaseUntil(), now));
      case ClaimState _ when isUnexpected(found) -> new BeginActionOutcome.Moved(found);
      case ClaimState.Free _ -> begin(records, now, found, applied);
      case ClaimState.Held stale
          when stale.isFreedBy(janitor(), JanitorMode.HOSTED, records, now) ->
          begin(records, now, found.reverted(now, Actor.SERVER, ""), applied);
      case ClaimState.Held _ -> new BeginActionOutcome.NeedsRecovery();
    };
  }

  private boolean isUnexpected(Entity found) {
    return expectedVersion.isPresent() && expectedVersion.getAsLong() != found.version();
  }

  /** The entity is free here; a stale claim may just have been reverted. */
  private BeginActionOutcome begin(
      BatchRecords records, Instant now, Entity free, AppliedLifecycle applied) {
    var found = applied.lifecycle().transition(step, requester, free.status());
    if (found.isEmpty()) {
      records.put(entity, free);
      return new BeginActionOutcome.WrongStatus(free.status());
    }
    var transition = found.get();
    if (applied.isRetiring(transition, now)) {
      return new BeginActionOutcome.Changing();
    }
    return transition.claim().isPresent()
        ? claim(records, now, free, transition)
        : grant(records, free, transition);
  }

  private BeginActionOutcome claim(
      BatchRecords records, Instant now, Entity free, Transition transition) {
    var grant =
        new ActionGrant(
            nonce,
            free.fence().next(now),
            attempt,
            actor.name(),
            now,
            transition,
            module,
            actor.principal());
    var lease = leaseOf(records);
    var held = new ClaimState.Claimed(grant, now.plus(lease));
    var claimed =
        free.then(new EntityChange.ActionBegan(grant), now, actor.holding(nonce)).with(held);
    records.put(entity, claimed);
    return granted(claimed, lease, transition, held, now, false);
  }

  /** Grants without storing a claim; the version decides at completion. */
  private BeginActionOutcome grant(BatchRecords records, Entity free, Transition transition) {
    records.put(entity, free);
    var claim = ActionClaim.optimistic(free, transition, module, attempt);
    var lease = leaseOf(records);
    return new BeginActionOutcome.Granted(claim, lease, free, transition.action(), lease, false);
  }

  private static BeginActionOutcome granted(
      Entity entity,
      Duration lease,
      Transition transition,
      ClaimState.Claimed held,
      Instant now,
      boolean reentrant) {
    return new BeginActionOutcome.Granted(
        entity.claim().orElseThrow(),
        lease,
        entity,
        transition.action(),
        Entity.remaining(held.leaseUntil(), now),
        reentrant);
  }

  private Duration leaseOf(BatchRecords records) {
    return lease.orElseGet(() -> records.get(janitor()).orElse(Janitor.NONE).staleAfter());
  }
}
