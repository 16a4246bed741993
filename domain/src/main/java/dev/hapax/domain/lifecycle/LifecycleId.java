package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of the applied lifecycle of this name. */
public record LifecycleId(Workspace workspace, String name) implements RecordKey<AppliedLifecycle> {
  public LifecycleId {
    Text.requiredShortName(name);
  }
}
