package dev.hapax.domain.janitor;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The janitor of a module. */
public record JanitorId(Workspace workspace, String module) implements RecordKey<Janitor> {
  public JanitorId {
    Text.requiredName(module);
  }
}
