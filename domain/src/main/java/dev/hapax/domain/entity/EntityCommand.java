package dev.hapax.domain.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.LifecycleId;
import java.util.Collection;
import java.util.List;

/**
 * A command that decides about one entity.
 *
 * @param <O> the outcome
 */
interface EntityCommand<O> extends Command<O> {
  /** The approximate size of an entity in bytes. */
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

  /** Lifecycles and janitors, which many entities share, are only read. */
  @Override
  default Collection<? extends RecordKey<?>> reads() {
    return keys().stream()
        .filter(key -> key instanceof LifecycleId || key instanceof JanitorId)
        .toList();
  }

  /** Only commands of the same entity compete, not those of the same lifecycle. */
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
