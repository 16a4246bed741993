package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StepStatus;
import picocli.CommandLine.ITypeConverter;

/** The statuses of a run, as typed and printed. */
enum RunStatusOption {
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

  /** Parses the name as typed or as printed by {@code --json}. */
  static final class Converter implements ITypeConverter<RunStatusOption> {
    @Override
    public RunStatusOption convert(String text) {
      return EnumOption.parse(RunStatusOption.class, PREFIX, text);
    }
  }
}
