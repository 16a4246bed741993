package dev.hapax.domain.janitor;

import java.util.List;

/** The outcome of {@link DeclareJanitor}. */
public sealed interface DeclareJanitorOutcome {
  /**
   * The contract is declared.
   *
   * @param already the same contract was declared before
   */
  record Declared(Janitor janitor, boolean already) implements DeclareJanitorOutcome {}

  /** Applied lifecycles need claim states that the contract does not cover; nothing changed. */
  record Uncovers(List<UncoveredState> uncovered) implements DeclareJanitorOutcome {
    public Uncovers {
      uncovered = List.copyOf(uncovered);
    }
  }
}
