package dev.hapax.domain.definition;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The name of a definition, and the key of its latest version. */
public record DefinitionName(Workspace workspace, String name)
    implements RecordKey<LatestDefinition> {
  public DefinitionName {
    Text.requiredName(name);
  }

  public DefinitionId version(String version) {
    return new DefinitionId(workspace, name, version);
  }
}
