package dev.hapax.client.run;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Run;

/** The run ended as FAILED: one of its steps failed for good. {@link Runs#retry} continues it. */
public final class RunFailedException extends HapaxException {

  private final transient Run run;

  RunFailedException(Run run) {
    super(
        "run %s failed at step %s: %s %s"
            .formatted(
                run.getId(),
                run.getCurrentStep(),
                run.getFailure().getCode(),
                run.getFailure().getMessage()),
        null);
    this.run = run;
  }

  /** The run at its end. */
  public Run run() {
    return run;
  }

  /** The failure of the step. */
  public Failure failure() {
    return run.getFailure();
  }
}
