package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** One version of a lifecycle, kept as it was applied. */
public record LifecycleVersionId(LifecycleId lifecycle, long version)
    implements RecordKey<Lifecycle> {
  @Override
  public Workspace workspace() {
    return lifecycle.workspace();
  }
}
