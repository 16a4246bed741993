package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.util.Optional;

/** The outcome of {@link RecordStep}. */
public sealed interface RecordStepOutcome
    permits RecordStepOutcome.Recorded,
        RecordStepOutcome.NotRecorded,
        RecordStepOutcome.InDoubt,
        PartsRefused,
        TaskLost {
  /**
   * The part is recorded with this output.
   *
   * @param already it was recorded before
   */
  record Recorded(Payload output, boolean already) implements RecordStepOutcome {}

  /** The part is not recorded. */
  record NotRecorded() implements RecordStepOutcome {}

  /**
   * The part has no output, and its body must not run.
   *
   * @param failure with which it failed for good; empty = another grant began it
   */
  record InDoubt(Optional<Failure> failure) implements RecordStepOutcome {}
}
