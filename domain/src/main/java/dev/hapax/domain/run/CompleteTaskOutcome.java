package dev.hapax.domain.run;

import java.util.Optional;

/** What became of a completion. */
public sealed interface CompleteTaskOutcome
    permits CompleteTaskOutcome.Completed,
        CompleteTaskOutcome.NoSuchSignal,
        CompleteTaskOutcome.StateTooLarge,
        TaskLost {
  /**
   * The step is done.
   *
   * @param run as it goes on
   * @param already the same claim had done so before
   * @param next the run's next task, if it was wanted and is held because of this completion
   */
  record Completed(Run run, boolean already, Optional<ClaimTaskOutcome.Claimed> next)
      implements CompleteTaskOutcome {
    /** Done before, and nothing of it is held any more. */
    public static Completed before(Run run) {
      return new Completed(run, true, Optional.empty());
    }
  }

  /** There is no such signal to use up; nothing changed. */
  record NoSuchSignal(String signalId) implements CompleteTaskOutcome {}

  /** The patch would make the state too large; nothing changed, the step is still held. */
  record StateTooLarge() implements CompleteTaskOutcome {}
}
