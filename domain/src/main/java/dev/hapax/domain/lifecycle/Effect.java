package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;

/**
 * An after-effect: a run of this definition version, started when a step succeeds.
 *
 * @param name by which steps refer to it
 */
public record Effect(String name, String definition, String version) {
  /** An effect for which the lifecycle gives no terms. */
  public static Effect plain(String name) {
    return new Effect(name, EffectDefinition.NAME, name);
  }

  /** Whether its definition follows from its name alone. */
  public boolean isPlain() {
    return equals(plain(name));
  }

  public DefinitionId definition(Workspace workspace) {
    return new DefinitionId(workspace, definition, version);
  }
}
