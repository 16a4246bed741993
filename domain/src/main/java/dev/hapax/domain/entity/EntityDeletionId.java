package dev.hapax.domain.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of an entity's last deletion, a separate record, so that a deleted entity is absent. */
public record EntityDeletionId(EntityId entity) implements RecordKey<EntityDeletion> {
  @Override
  public Workspace workspace() {
    return entity.workspace();
  }
}
