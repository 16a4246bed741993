package dev.hapax.domain.lifecycle;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.janitor.UncoveredState;
import java.util.List;
import java.util.Set;

/** The outcome of {@link ApplyLifecycle}. */
public sealed interface ApplyLifecycleOutcome {
  /**
   * The lifecycle is applied.
   *
   * @param already it was applied before
   */
  record Applied(AppliedLifecycle applied, boolean already) implements ApplyLifecycleOutcome {}

  /** No janitor covers these claim states; nothing changed. */
  record Uncovered(List<UncoveredState> missing) implements ApplyLifecycleOutcome {
    public Uncovered {
      missing = List.copyOf(missing);
    }
  }

  /** An after-effect refers to a definition that is not registered; nothing changed. */
  record Undefined(DefinitionId definition) implements ApplyLifecycleOutcome {}

  /**
   * Nothing was decided: the change removes statuses that may still have entities. The caller
   * submits {@link RetireStatuses}, searches for such entities, and repeats this command. If it
   * finds some, it rejects the change and submits {@link RetireStatuses} without statuses.
   */
  record RetireFirst(Set<String> statuses) implements ApplyLifecycleOutcome {
    public RetireFirst {
      statuses = Set.copyOf(statuses);
    }
  }
}
