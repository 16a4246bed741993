package dev.hapax.domain.entity;

import dev.hapax.domain.Text;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Takes an entity back from its holder or recovery, because an operator says so. Whether the same
 * request has done so some releases ago is for the history to tell.
 *
 * @param requestId the operator's nonce
 * @param verdict what the operator knows of the action
 * @param effect the run that the action's after-effect may become
 * @param version the one that the entity was found to have; any number will do at first
 */
public record ReleaseClaim(
    EntityId entity,
    String requestId,
    String reason,
    OptionalLong expectedVersion,
    RecoveryVerdict verdict,
    EffectRun effect,
    long version,
    Actor by)
    implements EntityCommand<ReleaseClaimOutcome> {
  public ReleaseClaim {
    Text.requiredName(requestId);
  }

  /** The same, once it is known which version the entity has. */
  public ReleaseClaim knowing(long found) {
    return new ReleaseClaim(entity, requestId, reason, expectedVersion, verdict, effect, found, by);
  }

  /** The same, once it is known which definition the after-effect follows. */
  public ReleaseClaim following(DefinitionId definition) {
    return new ReleaseClaim(
        entity,
        requestId,
        reason,
        expectedVersion,
        verdict,
        effect.following(definition),
        version,
        by);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    var keys = new ArrayList<RecordKey<?>>();
    keys.add(entity);
    if (verdict == RecoveryVerdict.COMPLETE) {
      keys.addAll(effect.keys(entity, version + 1));
    }
    return keys;
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
      return new ReleaseClaimOutcome.Released(before, Optional.empty(), true);
    }
    if (expectedVersion.isPresent() && expectedVersion.getAsLong() != before.version()) {
      return new ReleaseClaimOutcome.Moved(before);
    }
    return before
        .taken()
        .map(taken -> release(world, now, before, taken))
        .orElseGet(() -> new ReleaseClaimOutcome.NotClaimed(before));
  }

  private ReleaseClaimOutcome release(
      World world, Instant now, Entity before, ClaimState.Taken taken) {
    return switch (verdict) {
      case REVERT ->
          new ReleaseClaimOutcome.Released(released(world, now, before), Optional.empty(), false);
      case COMPLETE -> complete(world, now, before, taken);
    };
  }

  private ReleaseClaimOutcome complete(
      World world, Instant now, Entity before, ClaimState.Taken taken) {
    if (before.version() != version) {
      return new ReleaseClaimOutcome.KnowFirst(before.version());
    }
    var move = taken.action().move();
    var missing = effect.missing(move);
    if (missing.isPresent()) {
      return new NeedsDefinition(missing.get());
    }
    var released = released(world, now, before);
    Optional<Run> started =
        AfterEffect.start(world, now, released, move, Optional.empty(), effect, by);
    return new ReleaseClaimOutcome.Released(released, started, false);
  }

  private Entity released(World world, Instant now, Entity before) {
    var fence = before.fence().next(now);
    var change = new EntityChange.ClaimReleased(requestId, reason, fence, verdict);
    var released = before.then(change, now, by);
    world.put(entity, released);
    return released;
  }
}
