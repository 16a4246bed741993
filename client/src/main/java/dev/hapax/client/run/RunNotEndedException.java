package dev.hapax.client.run;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.Run;

/** The run had not ended when the wait timed out. It continues; wait again. */
public final class RunNotEndedException extends HapaxException {

  private final transient Run run;

  RunNotEndedException(Run run) {
    super("run " + run.getId() + " has not ended: " + run.getStatus(), null);
    this.run = run;
  }

  /** The run at the end of the wait. */
  public Run run() {
    return run;
  }
}
