package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionId;

/**
 * What starts when a step succeeds: a run of this version of this definition.
 *
 * @param name by which steps name it
 */
public record Effect(String name, String definition, String version) {
  /** One that the lifecycle says nothing more of. */
  public static Effect plain(String name) {
    return new Effect(name, EffectDefinition.NAME, name);
  }

  /** Whether its name says all there is to its definition. */
  public boolean isPlain() {
    return equals(plain(name));
  }

  public DefinitionId definition(Workspace workspace) {
    return new DefinitionId(workspace, definition, version);
  }
}
