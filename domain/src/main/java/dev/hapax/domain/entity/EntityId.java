package dev.hapax.domain.entity;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.LifecycleId;

/** The id of an entity: its lifecycle, and the id that its owner chose. */
public record EntityId(Workspace workspace, String lifecycle, String id)
    implements RecordKey<Entity> {
  public EntityId {
    Text.requiredShortName(lifecycle);
    Text.requiredName(id);
  }

  public LifecycleId lifecycleId() {
    return new LifecycleId(workspace, lifecycle);
  }
}
