package dev.hapax.postgres.run;

import dev.hapax.domain.run.RunStatus;
import dev.hapax.postgres.read.StoredCodes;
import java.util.List;

/** The stored codes of run statuses. */
public final class RunStatusCode {
  private static final StoredCodes<RunStatus> CODES =
      new StoredCodes<>(
          RunStatus.class,
          List.of(
              RunStatus.PENDING,
              RunStatus.RUNNING,
              RunStatus.WAITING,
              RunStatus.PAUSED,
              RunStatus.COMPLETED,
              RunStatus.FAILED,
              RunStatus.CANCELLED));

  private RunStatusCode() {}

  public static short of(RunStatus status) {
    return CODES.code(status);
  }

  public static RunStatus status(int code) {
    return CODES.value(code);
  }
}
