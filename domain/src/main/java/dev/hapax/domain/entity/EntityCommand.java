package dev.hapax.domain.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.LifecycleId;
import java.util.Collection;
import java.util.List;

/**
 * A decision about one entity.
 *
 * @param <O> the outcome
 */
interface EntityCommand<O> extends Command<O> {
  /** What an entity weighs in a queue. */
  int SIZE = 1024;

  EntityId entity();

  @Override
  default Workspace workspace() {
    return entity().workspace();
  }

  @Override
  default Collection<? extends RecordKey<?>> keys() {
    return List.of(entity());
  }

  /** Lifecycles and janitors, which all entities share. */
  @Override
  default Collection<? extends RecordKey<?>> reads() {
    return keys().stream()
        .filter(key -> key instanceof LifecycleId || key instanceof JanitorId)
        .toList();
  }

  /** Those who want one entity are rivals; those who only follow one lifecycle are not. */
  @Override
  default Object route() {
    return entity();
  }

  @Override
  default Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  default int size() {
    return SIZE;
  }
}
