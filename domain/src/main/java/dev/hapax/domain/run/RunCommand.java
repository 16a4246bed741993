package dev.hapax.domain.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.util.Collection;
import java.util.List;

/**
 * A command that decides about one run.
 *
 * @param <O> the outcome
 */
interface RunCommand<O> extends Command<O> {
  /** The approximate size of a run in bytes, without payloads. */
  int SIZE = 1024;

  RunId run();

  @Override
  default Workspace workspace() {
    return run().workspace();
  }

  @Override
  default Collection<? extends RecordKey<?>> keys() {
    return List.of(run());
  }

  @Override
  default RecordKey<?> route() {
    return run();
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
