package dev.hapax.domain.entity;

import dev.hapax.domain.Text;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Releases an entity from its holder or recovery on behalf of an operator. The entity detects a
 * repetition of its last release; for older ones the caller reads the history.
 *
 * @param requestId the operator's nonce
 * @param verdict whether the action took effect
 * @param effect random id, for the run of the action's after-effect if it has one
 */
public record ReleaseClaim(
    EntityId entity,
    String requestId,
    String reason,
    OptionalLong expectedVersion,
    RecoveryVerdict verdict,
    RunId effect,
    Actor actor)
    implements EntityCommand<ReleaseClaimOutcome> {
  public ReleaseClaim {
    Text.requiredName(requestId);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public ReleaseClaimOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(entity);
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
        .held()
        .map(held -> release(records, now, before, held))
        .orElseGet(() -> new ReleaseClaimOutcome.NotClaimed(before));
  }

  private ReleaseClaimOutcome release(
      BatchRecords records, Instant now, Entity before, ClaimState.Held held) {
    return switch (verdict) {
      case REVERT ->
          new ReleaseClaimOutcome.Released(released(records, now, before), Optional.empty(), false);
      case COMPLETE -> complete(records, now, before, held);
    };
  }

  private ReleaseClaimOutcome complete(
      BatchRecords records, Instant now, Entity before, ClaimState.Held held) {
    var transition = held.action().transition();
    records.lock(AfterEffect.keys(entity, before.version() + 1, effect));
    var released = released(records, now, before);
    Optional<Run> started =
        AfterEffect.start(
            records, now, released, transition, Optional.empty(), effect, Optional.empty(), actor);
    return new ReleaseClaimOutcome.Released(released, started, false);
  }

  private Entity released(BatchRecords records, Instant now, Entity before) {
    var fence = before.fence().next(now);
    var change = new EntityChange.ClaimReleased(requestId, reason, fence, verdict);
    var released = before.then(change, now, actor);
    records.put(entity, released);
    return released;
  }
}
