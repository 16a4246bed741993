package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of one version of a lifecycle, stored as it was applied. */
public record LifecycleVersionId(LifecycleId lifecycle, long version)
    implements RecordKey<Lifecycle> {
  @Override
  public Workspace workspace() {
    return lifecycle.workspace();
  }
}
