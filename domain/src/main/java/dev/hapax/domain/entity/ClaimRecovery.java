package dev.hapax.domain.entity;

import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Actor;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Takes an entity whose holder is gone, so that its module looks what was done. The fence rises
 * first: whatever the module finds, the holder cannot change it any more. A recovery whose lease is
 * over is itself taken so.
 *
 * @param worker who polls, for people
 * @param poll which poll asks, condensed; the same again gets the same, renewed
 * @param nonce drawn for the grant
 */
public record ClaimRecovery(
    EntityId entity,
    JanitorId janitor,
    String worker,
    Optional<UUID> poll,
    Duration lease,
    long nonce)
    implements EntityCommand<ClaimRecoveryOutcome> {
  public static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(entity, janitor);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public ClaimRecoveryOutcome decide(World world, Instant now) {
    var found = world.get(entity);
    var own = found.flatMap(Entity::recovering).filter(this::isOwn);
    if (own.isPresent()) {
      var renewed = own.get().renewedUntil(now.plus(lease));
      return claimed(world, now, found.orElseThrow().with(renewed));
    }
    return found.filter(is -> isStuck(world, now, is)).isPresent()
        ? claimed(world, now, taken(found.get(), now))
        : new ClaimRecoveryOutcome.Left();
  }

  private boolean isOwn(ClaimState.Recovering held) {
    return poll.isPresent() && held.recovery().poll().equals(poll);
  }

  private boolean isStuck(World world, Instant now, Entity found) {
    return found
        .taken()
        .filter(taken -> taken.isFreedBy(janitor, JanitorMode.REMOTE, world, now))
        .isPresent();
  }

  private Entity taken(Entity stuck, Instant now) {
    var lost = stuck.taken().orElseThrow().action();
    var grant = new RecoveryGrant(nonce, stuck.fence().next(now), worker, poll);
    return stuck
        .then(new EntityChange.RecoveryBegan(grant), now, new Actor(worker, nonce))
        .with(new ClaimState.Recovering(lost, grant, now.plus(lease)));
  }

  private ClaimRecoveryOutcome claimed(World world, Instant now, Entity recovering) {
    world.put(entity, recovering);
    var held = recovering.recovering().orElseThrow();
    return new ClaimRecoveryOutcome.Claimed(
        recovering.recovery().orElseThrow(),
        recovering,
        held.action(),
        Entity.remaining(held.leaseUntil(), now));
  }
}
