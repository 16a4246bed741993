package dev.hapax.domain.run;

import dev.hapax.domain.Payload;

/** What became of a named step. */
public sealed interface RecordStepOutcome
    permits RecordStepOutcome.Recorded,
        RecordStepOutcome.NotRecorded,
        RecordStepOutcome.NoSuchSignal,
        RecordStepOutcome.TooManyEvents,
        TaskLost {
  /**
   * It is recorded with this output.
   *
   * @param already it was before
   */
  record Recorded(Payload output, boolean already) implements RecordStepOutcome {}

  /** Nobody has recorded it. */
  record NotRecorded() implements RecordStepOutcome {}

  /** There is no such signal to use up; nothing changed. */
  record NoSuchSignal(String signalId) implements RecordStepOutcome {}

  /** The run's history is full; nothing changed. */
  record TooManyEvents() implements RecordStepOutcome {}
}
