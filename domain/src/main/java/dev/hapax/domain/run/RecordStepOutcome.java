package dev.hapax.domain.run;

import dev.hapax.domain.Payload;

/** The outcome of {@link RecordStep}. */
public sealed interface RecordStepOutcome
    permits RecordStepOutcome.Recorded,
        RecordStepOutcome.NotRecorded,
        RecordStepOutcome.NoSuchSignal,
        RecordStepOutcome.TooManyEvents,
        TaskLost {
  /**
   * The step is recorded with this output.
   *
   * @param already it was recorded before
   */
  record Recorded(Payload output, boolean already) implements RecordStepOutcome {}

  /** The step is not recorded. */
  record NotRecorded() implements RecordStepOutcome {}

  /** A consumed signal does not exist; nothing changed. */
  record NoSuchSignal(String signalId) implements RecordStepOutcome {}

  /** The run's history is full; nothing changed. */
  record TooManyEvents() implements RecordStepOutcome {}
}
