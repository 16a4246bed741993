package dev.hapax.domain.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
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

  @Override
  default Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  default int size() {
    return SIZE;
  }
}
