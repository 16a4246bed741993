package dev.hapax.postgres.run;

import dev.hapax.domain.run.RunStatus;
import java.util.List;

/** The stored codes of run statuses. */
public final class RunStatusCode {
  private static final List<RunStatus> STATUSES =
      List.of(
          RunStatus.PENDING,
          RunStatus.RUNNING,
          RunStatus.WAITING,
          RunStatus.PAUSED,
          RunStatus.COMPLETED,
          RunStatus.FAILED,
          RunStatus.CANCELLED);

  private RunStatusCode() {}

  public static short of(RunStatus status) {
    return (short) (STATUSES.indexOf(status) + 1);
  }

  public static RunStatus status(int code) {
    return STATUSES.get(code - 1);
  }
}
