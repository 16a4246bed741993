package dev.hapax.domain.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/**
 * The last deletion of an entity; a record of its own, so that a deleted entity is simply absent.
 */
public record EntityDeletionId(EntityId entity) implements RecordKey<EntityDeletion> {
  @Override
  public Workspace workspace() {
    return entity.workspace();
  }
}
