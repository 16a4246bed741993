package dev.hapax.domain.run;

/** What became of a completion. */
public sealed interface CompleteTaskOutcome
    permits CompleteTaskOutcome.Completed,
        CompleteTaskOutcome.NoSuchSignal,
        CompleteTaskOutcome.StateTooLarge,
        TaskLost {
  /**
   * The step is done.
   *
   * @param run as it goes on; held if the next task was wanted and given
   * @param already the same claim had done so before
   */
  record Completed(Run run, boolean already) implements CompleteTaskOutcome {}

  /** There is no such signal to use up; nothing changed. */
  record NoSuchSignal(String signalId) implements CompleteTaskOutcome {}

  /** The patch would make the state too large; nothing changed, the step is still held. */
  record StateTooLarge() implements CompleteTaskOutcome {}
}
