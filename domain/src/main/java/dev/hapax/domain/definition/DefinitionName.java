package dev.hapax.domain.definition;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;

/** The name that all versions of a definition have; leads to the version registered last. */
public record DefinitionName(Workspace workspace, String name)
    implements RecordKey<LatestDefinition> {
  public DefinitionName {
    Text.requiredName(name);
  }

  public DefinitionId version(String version) {
    return new DefinitionId(workspace, name, version);
  }
}
