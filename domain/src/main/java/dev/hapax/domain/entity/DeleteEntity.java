package dev.hapax.domain.entity;

import dev.hapax.domain.Text;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * Deletes an entity that is not claimed. The record of the last deletion detects a repeated
 * request; for older ones the caller reads the history.
 *
 * @param requestId the operator's nonce
 */
public record DeleteEntity(
    EntityId entity, String requestId, String reason, OptionalLong expectedVersion, Actor actor)
    implements EntityCommand<DeleteEntityOutcome> {
  public DeleteEntity {
    Text.requiredName(requestId);
  }

  private EntityDeletionId deletion() {
    return new EntityDeletionId(entity);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(entity, deletion());
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public DeleteEntityOutcome decide(BatchRecords records, Instant now) {
    var last = records.get(deletion());
    if (last.filter(before -> before.requestId().equals(requestId)).isPresent()) {
      return new DeleteEntityOutcome.Deleted(true);
    }
    var found = records.get(entity);
    if (found.isEmpty()) {
      return new DeleteEntityOutcome.Absent();
    }
    if (expectedVersion.isPresent() && expectedVersion.getAsLong() != found.get().version()) {
      return new DeleteEntityOutcome.Moved(found.get());
    }
    if (found.get().held().isPresent()) {
      return new DeleteEntityOutcome.Claimed(found.get());
    }
    records.remove(entity);
    records.put(deletion(), EntityDeletion.of(found.get(), last, requestId, reason, now, actor));
    return new DeleteEntityOutcome.Deleted(false);
  }
}
