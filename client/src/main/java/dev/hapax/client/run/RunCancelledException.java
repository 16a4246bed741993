package dev.hapax.client.run;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.Run;

/** The run ended as CANCELLED, by a cancel or because another run superseded it. */
public final class RunCancelledException extends HapaxException {

  private final transient Run run;

  RunCancelledException(Run run) {
    super(
        run.getSupersededBy().isEmpty()
            ? "run " + run.getId() + " was cancelled"
            : "run " + run.getId() + " was superseded by " + run.getSupersededBy(),
        null);
    this.run = run;
  }

  /** The run at its end. */
  public Run run() {
    return run;
  }
}
