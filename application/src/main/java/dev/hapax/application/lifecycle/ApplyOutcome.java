package dev.hapax.application.lifecycle;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import java.util.List;
import java.util.Set;

/** The outcome of applying lifecycles and contracts. */
public sealed interface ApplyOutcome {
  /** All are applied; both lists have the order of the set. */
  record Applied(List<Stored<AppliedLifecycle>> lifecycles, List<Stored<Janitor>> janitors)
      implements ApplyOutcome {
    public Applied {
      lifecycles = List.copyOf(lifecycles);
      janitors = List.copyOf(janitors);
    }
  }

  /** Nothing changed. */
  sealed interface Refused extends ApplyOutcome {}

  /** No janitor would cover these claim states. */
  record Uncovered(List<UncoveredState> missing) implements Refused {
    public Uncovered {
      missing = List.copyOf(missing);
    }
  }

  /** An after-effect refers to a definition that is not registered. */
  record Undefined(DefinitionId definition) implements Refused {}

  /**
   * Entities are in statuses that the change of a lifecycle removes, or may reach them.
   *
   * @param stranded such entities, up to a limit
   * @param isAll whether the list is complete
   * @param statuses that the change removes
   */
  record InUse(String lifecycle, List<Entity> stranded, boolean isAll, Set<String> statuses)
      implements Refused {
    public InUse {
      stranded = List.copyOf(stranded);
      statuses = Set.copyOf(statuses);
    }
  }

  /** Another caller is changing this lifecycle. Retry after some seconds. */
  record Changing(String lifecycle) implements Refused {}
}
