package dev.hapax.domain.definition;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** One version of one definition. */
public record DefinitionId(Workspace workspace, String name, String version)
    implements RecordKey<Definition> {
  public DefinitionId {
    Text.requiredName(name);
    Text.requiredName(version);
  }

  /** What all versions of this definition have in common. */
  public DefinitionName withoutVersion() {
    return new DefinitionName(workspace, name);
  }
}
