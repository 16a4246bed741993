package dev.hapax.domain.run;

/** Reports about parts are refused: nothing changed, and the worker still holds the task. */
public sealed interface PartsRefused
    extends ReportedParts.Effect,
        RecordStepOutcome,
        RecordPartsOutcome,
        CompleteTaskOutcome,
        FailTaskOutcome,
        SuspendTaskOutcome {
  /**
   * A consumed signal does not exist.
   *
   * @param index of the report
   */
  record NoSuchSignal(int index, String signalId) implements PartsRefused {}

  /**
   * The report is about an attempt that does not follow.
   *
   * @param index of the report
   * @param next the attempt that follows
   */
  record OtherAttempt(int index, int next) implements PartsRefused {}

  /** The run's history is full. */
  record TooManyEvents() implements PartsRefused {}

  /** The patch would make the state too large. */
  record StateTooLarge() implements PartsRefused {}
}
