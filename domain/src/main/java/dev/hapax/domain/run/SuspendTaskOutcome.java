package dev.hapax.domain.run;

/** What became of a suspension. */
public sealed interface SuspendTaskOutcome
    permits SuspendTaskOutcome.Suspended, SuspendTaskOutcome.StateTooLarge, TaskLost {
  record Suspended(Run run) implements SuspendTaskOutcome {}

  /** The patch would make the state too large; nothing changed, the step is still held. */
  record StateTooLarge() implements SuspendTaskOutcome {}
}
