package dev.hapax.domain.entity;

import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Optional;

/**
 * Completes a recovery with the module's verdict about the lost action.
 *
 * @param effect random id, for the run of the after-effect if it has one
 */
public record CompleteRecovery(
    RecoveryClaim claim, RecoveryVerdict verdict, String reason, RunId effect, Actor actor)
    implements EntityCommand<CompleteRecoveryOutcome> {

  @Override
  public EntityId entity() {
    return claim.entity();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    var keys = new ArrayList<RecordKey<?>>();
    keys.add(claim.entity());
    if (claim.hasEffect() && verdict == RecoveryVerdict.COMPLETE) {
      keys.addAll(AfterEffect.keys(claim.entity(), claim.version() + 1, effect));
    }
    return keys;
  }

  @Override
  public CompleteRecoveryOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.entity());
    if (found.flatMap(Entity::last).filter(this::isOfClaim).isPresent()) {
      return new CompleteRecoveryOutcome.Recovered(found.get(), Optional.empty(), true);
    }
    return found
        .flatMap(entity -> entity.heldBy(claim))
        .map(held -> recover(records, now, found.get(), held))
        .orElseGet(() -> ActionClaimLost.of(claim, found));
  }

  private boolean isOfClaim(EndedGrant last) {
    return last.isOf(claim)
        && last.how()
            == switch (verdict) {
              case COMPLETE -> EndedGrant.How.RECOVERED_DONE;
              case REVERT -> EndedGrant.How.RECOVERED_UNDONE;
            };
  }

  private CompleteRecoveryOutcome recover(
      BatchRecords records, Instant now, Entity stuck, ClaimState.Recovering held) {
    var module = actor.holding(claim.nonce());
    var recovered = stuck.then(new EntityChange.Recovered(verdict, reason), now, module);
    records.put(stuck.id(), recovered);
    return new CompleteRecoveryOutcome.Recovered(
        recovered, effect(records, now, recovered, held.action().transition(), module), false);
  }

  private Optional<Run> effect(
      BatchRecords records, Instant now, Entity recovered, Transition transition, Actor module) {
    return switch (verdict) {
      case COMPLETE ->
          AfterEffect.start(
              records,
              now,
              recovered,
              transition,
              Optional.empty(),
              effect,
              Optional.empty(),
              module);
      case REVERT -> Optional.empty();
    };
  }
}
