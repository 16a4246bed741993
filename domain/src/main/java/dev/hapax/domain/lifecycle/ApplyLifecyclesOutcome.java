package dev.hapax.domain.lifecycle;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.UncoveredState;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The outcome of {@link ApplyLifecycles}. */
public sealed interface ApplyLifecyclesOutcome {
  /** The whole set is applied; both lists have the order of the set. */
  record Applied(List<Stored<AppliedLifecycle>> lifecycles, List<Stored<Janitor>> janitors)
      implements ApplyLifecyclesOutcome {
    public Applied {
      lifecycles = List.copyOf(lifecycles);
      janitors = List.copyOf(janitors);
    }
  }

  /**
   * A record as it is stored.
   *
   * @param already it had this lifecycle or contract before
   */
  record Stored<R>(R record, boolean already) {}

  /** No janitor would cover these claim states; nothing changed. */
  record Uncovered(List<UncoveredState> missing) implements ApplyLifecyclesOutcome {
    public Uncovered {
      missing = List.copyOf(missing);
    }
  }

  /** An after-effect refers to a definition that is not registered; nothing changed. */
  record Undefined(DefinitionId definition) implements ApplyLifecyclesOutcome {}

  /**
   * Nothing was decided: the set removes statuses that may still have entities. The caller submits
   * {@link RetireStatuses}, searches for such entities, and repeats this command. If it finds some,
   * it rejects the set and submits {@link RetireStatuses} without statuses.
   *
   * @param statuses by lifecycle
   */
  record RetireFirst(SortedMap<String, Set<String>> statuses) implements ApplyLifecyclesOutcome {
    public RetireFirst {
      statuses = Collections.unmodifiableSortedMap(new TreeMap<>(statuses));
    }
  }
}
