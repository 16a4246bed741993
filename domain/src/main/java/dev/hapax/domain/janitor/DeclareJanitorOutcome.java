package dev.hapax.domain.janitor;

import java.util.List;

/** What became of a contract. */
public sealed interface DeclareJanitorOutcome {
  /**
   * It holds.
   *
   * @param already the same did before
   */
  record Declared(Janitor janitor, boolean already) implements DeclareJanitorOutcome {}

  /** Lifecycles that are there rely on what it no longer covers; nothing changed. */
  record Uncovers(List<UncoveredState> uncovered) implements DeclareJanitorOutcome {
    public Uncovers {
      uncovered = List.copyOf(uncovered);
    }
  }
}
