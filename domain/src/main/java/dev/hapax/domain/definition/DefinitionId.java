package dev.hapax.domain.definition;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The key of one version of a definition. */
public record DefinitionId(Workspace workspace, String name, String version)
    implements RecordKey<Definition> {
  public DefinitionId {
    Text.requiredName(name);
    Text.requiredName(version);
  }

  /** The name, which all versions share. */
  public DefinitionName withoutVersion() {
    return new DefinitionName(workspace, name);
  }
}
