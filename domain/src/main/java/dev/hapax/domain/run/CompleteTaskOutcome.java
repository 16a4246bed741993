package dev.hapax.domain.run;

/** What became of a completion. */
public sealed interface CompleteTaskOutcome
    permits CompleteTaskOutcome.Completed,
        CompleteTaskOutcome.NoSuchSignal,
        CompleteTaskOutcome.StateTooLarge,
        TaskLost {
  /** The run as it goes on; held if the next task was wanted and given. */
  record Completed(Run run) implements CompleteTaskOutcome {}

  /** There is no such signal to use up; nothing changed. */
  record NoSuchSignal(String signalId) implements CompleteTaskOutcome {}

  /** The patch would make the state too large; nothing changed, the step is still held. */
  record StateTooLarge() implements CompleteTaskOutcome {}
}
