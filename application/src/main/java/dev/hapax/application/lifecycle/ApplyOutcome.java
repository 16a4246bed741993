package dev.hapax.application.lifecycle;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import java.util.List;
import java.util.Set;

/** What became of a lifecycle that was to be applied. */
public sealed interface ApplyOutcome {
  /**
   * Entities follow it.
   *
   * @param already they did before
   */
  record Applied(AppliedLifecycle applied, boolean already) implements ApplyOutcome {}

  /** Claim states that nothing would free; nothing changed. */
  record Uncovered(List<UncoveredState> missing) implements ApplyOutcome {
    public Uncovered {
      missing = List.copyOf(missing);
    }
  }

  /** An after-effect names a definition that is not registered; nothing changed. */
  record Undefined(DefinitionId definition) implements ApplyOutcome {}

  /**
   * Entities are in statuses that would go, or may come to be in them; nothing changed.
   *
   * @param stranded them, or as many as are named
   * @param isAll whether there are no more
   * @param statuses that would go
   */
  record InUse(List<Entity> stranded, boolean isAll, Set<String> statuses) implements ApplyOutcome {
    public InUse {
      stranded = List.copyOf(stranded);
      statuses = Set.copyOf(statuses);
    }
  }

  /** Somebody else is changing it; nothing changed. It is over within seconds. */
  record Changing() implements ApplyOutcome {}
}
