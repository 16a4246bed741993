package dev.hapax.domain.operation;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import java.util.Collection;
import java.util.List;

/**
 * A command that decides about one operation.
 *
 * @param <O> the outcome
 */
interface OperationCommand<O> extends Command<O> {
  OperationId id();

  @Override
  default Workspace workspace() {
    return id().workspace();
  }

  @Override
  default Collection<OperationId> keys() {
    return List.of(id());
  }

  @Override
  default OperationId route() {
    return id();
  }

  @Override
  default Urgency urgency() {
    return Urgency.FINISH;
  }
}
