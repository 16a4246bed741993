package dev.hapax.application.lifecycle;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import java.util.List;
import java.util.Set;

/** The outcome of applying a lifecycle. */
public sealed interface ApplyOutcome {
  /**
   * The lifecycle is applied.
   *
   * @param already it was applied before
   */
  record Applied(AppliedLifecycle applied, boolean already) implements ApplyOutcome {}

  /** No janitor covers these claim states; nothing changed. */
  record Uncovered(List<UncoveredState> missing) implements ApplyOutcome {
    public Uncovered {
      missing = List.copyOf(missing);
    }
  }

  /** An after-effect refers to a definition that is not registered; nothing changed. */
  record Undefined(DefinitionId definition) implements ApplyOutcome {}

  /**
   * Entities are in statuses that the change removes, or may reach them; nothing changed.
   *
   * @param stranded such entities, up to a limit
   * @param isAll whether the list is complete
   * @param statuses that the change removes
   */
  record InUse(List<Entity> stranded, boolean isAll, Set<String> statuses) implements ApplyOutcome {
    public InUse {
      stranded = List.copyOf(stranded);
      statuses = Set.copyOf(statuses);
    }
  }

  /** Another caller is changing the lifecycle; nothing changed. Retry after some seconds. */
  record Changing() implements ApplyOutcome {}
}
