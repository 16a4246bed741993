package dev.hapax.bootstrap.cli.run;

import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import picocli.CommandLine.ExitCode;

/** Maps the status of a run to the exit code of a command that waited for it. */
final class RunExitCode {
  private static final int RUN_FAILED = 4;
  private static final int RUN_CANCELLED = 5;
  private static final int NOT_ENDED = 6;

  private RunExitCode() {}

  static boolean hasEnded(Run run) {
    return exitCode(run.getStatus()) != NOT_ENDED;
  }

  static int exitCode(RunStatus status) {
    return switch (status) {
      case RUN_STATUS_COMPLETED -> ExitCode.OK;
      case RUN_STATUS_FAILED -> RUN_FAILED;
      case RUN_STATUS_CANCELLED -> RUN_CANCELLED;
      case RUN_STATUS_PENDING,
          RUN_STATUS_RUNNING,
          RUN_STATUS_WAITING,
          RUN_STATUS_PAUSED,
          RUN_STATUS_UNSPECIFIED,
          UNRECOGNIZED ->
          NOT_ENDED;
    };
  }
}
