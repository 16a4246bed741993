package dev.hapax.bootstrap.run;

import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StepStatus;

/** Where a run stands, as it is typed and shown. */
enum Status {
  PENDING,
  RUNNING,
  WAITING,
  PAUSED,
  COMPLETED,
  FAILED,
  CANCELLED;

  private static final String PREFIX = "RUN_STATUS_";
  private static final String STEP_PREFIX = "STEP_STATUS_";

  RunStatus wire() {
    return RunStatus.valueOf(PREFIX + name());
  }

  static String text(StepStatus wire) {
    return wire.name().replace(STEP_PREFIX, "");
  }
}
