package dev.hapax.domain.entity;

import dev.hapax.domain.Text;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Takes an entity back from its holder or recovery, because an operator says so. Whether the same
 * request has done so some releases ago is for the history to tell.
 *
 * @param requestId the operator's nonce
 * @param verdict what the operator knows of the action
 * @param effect drawn for the run that the action's after-effect may become
 */
public record ReleaseClaim(
    EntityId entity,
    String requestId,
    String reason,
    OptionalLong expectedVersion,
    RecoveryVerdict verdict,
    RunId effect,
    Actor by)
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
    var move = taken.action().move();
    world.lock(AfterEffect.keys(entity, before.version() + 1, effect));
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
