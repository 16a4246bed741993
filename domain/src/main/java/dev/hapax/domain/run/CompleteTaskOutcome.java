package dev.hapax.domain.run;

import java.util.Optional;

/** The outcome of {@link CompleteTask}. */
public sealed interface CompleteTaskOutcome
    permits CompleteTaskOutcome.Completed,
        CompleteTaskOutcome.NoSuchSignal,
        CompleteTaskOutcome.StateTooLarge,
        PartsRefused,
        TaskLost {
  /**
   * The step is completed.
   *
   * @param run its state after the completion
   * @param already the same claim had completed the step before
   * @param next the run's next task, if it was requested and is held because of this completion
   */
  record Completed(Run run, boolean already, Optional<ClaimTaskOutcome.Claimed> next)
      implements CompleteTaskOutcome {
    /** The step was completed before, and the next task is no longer held. */
    public static Completed before(Run run) {
      return new Completed(run, true, Optional.empty());
    }
  }

  /** A consumed signal does not exist; nothing changed. */
  record NoSuchSignal(String signalId) implements CompleteTaskOutcome {}

  /** The patch would make the state too large; nothing changed, the step is still held. */
  record StateTooLarge() implements CompleteTaskOutcome {}
}
