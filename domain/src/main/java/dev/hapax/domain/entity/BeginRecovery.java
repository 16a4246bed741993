package dev.hapax.domain.entity;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Grants a module the recovery of an entity whose lease expired. The fence rises first, so that the
 * former holder cannot change what the module finds. An expired recovery is granted again in the
 * same way.
 *
 * @param worker the name of the polling worker, for display
 * @param poll hash of the attempt id of the poll; a retry of the poll gets the same grant, renewed
 * @param nonce random, for the grant
 * @param principal of the poll
 */
public record BeginRecovery(
    EntityId entity,
    JanitorId janitor,
    String worker,
    Optional<UUID> poll,
    Duration lease,
    long nonce,
    PrincipalName principal)
    implements EntityCommand<BeginRecoveryOutcome> {
  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(entity, janitor);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public BeginRecoveryOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(entity);
    var own = found.flatMap(Entity::recovering).filter(this::isOfSamePoll);
    if (own.isPresent()) {
      var renewed = own.get().renewedUntil(now.plus(lease));
      return claimed(records, now, found.orElseThrow().with(renewed));
    }
    return found.filter(is -> isStuck(records, now, is)).isPresent()
        ? claimed(records, now, recovering(found.get(), now))
        : new BeginRecoveryOutcome.Left();
  }

  private boolean isOfSamePoll(ClaimState.Recovering held) {
    return poll.isPresent() && held.recovery().poll().equals(poll);
  }

  private boolean isStuck(BatchRecords records, Instant now, Entity found) {
    return found
        .held()
        .filter(held -> held.isFreedBy(janitor, JanitorMode.REMOTE, records, now))
        .isPresent();
  }

  private Entity recovering(Entity stuck, Instant now) {
    var lost = stuck.held().orElseThrow().action();
    var grant = new RecoveryGrant(nonce, stuck.fence().next(now), worker, poll, principal);
    return stuck
        .then(new EntityChange.RecoveryBegan(grant), now, new Actor(worker, nonce, principal))
        .with(new ClaimState.Recovering(lost, grant, now.plus(lease)));
  }

  private BeginRecoveryOutcome claimed(BatchRecords records, Instant now, Entity recovering) {
    records.put(entity, recovering);
    var held = recovering.recovering().orElseThrow();
    return new BeginRecoveryOutcome.Claimed(
        recovering.recovery().orElseThrow(),
        recovering,
        held.action(),
        Entity.remaining(held.leaseUntil(), now));
  }
}
