package dev.hapax.domain.entity;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Reverts an entity whose lease expired, for a hosted janitor. The sweep proposes it, this command
 * decides.
 *
 * @param by the janitor itself, or the operator who started the sweep
 */
public record RevertExpiredClaim(EntityId entity, JanitorId janitor, Attribution by)
    implements EntityCommand<RevertExpiredClaimOutcome> {

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(entity, janitor);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public RevertExpiredClaimOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(entity);
    var stuck =
        found
            .flatMap(Entity::held)
            .filter(held -> held.isFreedBy(janitor, JanitorMode.HOSTED, records, now));
    if (stuck.isEmpty()) {
      return new RevertExpiredClaimOutcome.Left();
    }
    var reverted =
        found.orElseThrow().reverted(now, new Actor(by.actor(), 0, by.principal()), by.reason());
    records.put(entity, reverted);
    return new RevertExpiredClaimOutcome.Reverted(reverted);
  }
}
