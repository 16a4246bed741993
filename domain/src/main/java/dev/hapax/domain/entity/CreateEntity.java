package dev.hapax.domain.entity;

import dev.hapax.domain.Text;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Creates an entity that follows a lifecycle, unless it exists.
 *
 * @param reason recorded in the history; may be empty
 */
public record CreateEntity(EntityId entity, String status, String reason, Actor actor)
    implements EntityCommand<CreateEntityOutcome> {
  public CreateEntity {
    Text.name(reason);
  }

  private EntityDeletionId deletion() {
    return new EntityDeletionId(entity);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(entity, entity.lifecycleId(), deletion());
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public CreateEntityOutcome decide(BatchRecords records, Instant now) {
    var applied = records.get(entity.lifecycleId());
    if (applied.isEmpty()) {
      return new CreateEntityOutcome.NoLifecycle();
    }
    var found = records.get(entity);
    if (found.isPresent()) {
      return new CreateEntityOutcome.There(found.get(), false);
    }
    var lifecycle = applied.get().lifecycle();
    if (!lifecycle.statuses().contains(status)) {
      return new CreateEntityOutcome.UnknownStatus();
    }
    if (lifecycle.claimStates().contains(status)) {
      return new CreateEntityOutcome.ClaimState();
    }
    if (applied.get().isRetiring(status, now)) {
      return new CreateEntityOutcome.Changing();
    }
    var change = new EntityChange.Created(status, reason);
    var created =
        records
            .get(deletion())
            .map(before -> Entity.createdAgain(before, change, now, actor))
            .orElseGet(() -> Entity.created(entity, change, now, actor));
    records.put(entity, created);
    return new CreateEntityOutcome.There(created, true);
  }
}
