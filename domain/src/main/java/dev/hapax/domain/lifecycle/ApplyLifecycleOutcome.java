package dev.hapax.domain.lifecycle;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.janitor.UncoveredState;
import java.util.List;
import java.util.Set;

/** What became of a lifecycle that was to be applied. */
public sealed interface ApplyLifecycleOutcome {
  /**
   * Entities follow it.
   *
   * @param already they did before
   */
  record Applied(AppliedLifecycle applied, boolean already) implements ApplyLifecycleOutcome {}

  /** Claim states that nothing would free; nothing changed. */
  record Uncovered(List<UncoveredState> missing) implements ApplyLifecycleOutcome {
    public Uncovered {
      missing = List.copyOf(missing);
    }
  }

  /** An after-effect names a definition that is not registered; nothing changed. */
  record Undefined(DefinitionId definition) implements ApplyLifecycleOutcome {}

  /**
   * Nothing was decided: statuses would go, and nobody has looked whether entities are in them. The
   * way: {@link RetireStatuses}, a look for those that are, and this command again; or, if there
   * are some, refuse with the list and {@link RetireStatuses} with none.
   */
  record RetireFirst(Set<String> statuses) implements ApplyLifecycleOutcome {
    public RetireFirst {
      statuses = Set.copyOf(statuses);
    }
  }
}
