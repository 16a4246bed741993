package dev.hapax.domain.run;

/** The outcome of {@link SuspendTask}. */
public sealed interface SuspendTaskOutcome
    permits SuspendTaskOutcome.Suspended, SuspendTaskOutcome.StateTooLarge, PartsRefused, TaskLost {
  /**
   * The step is suspended.
   *
   * @param already the same claim had suspended it before
   */
  record Suspended(Run run, boolean already) implements SuspendTaskOutcome {}

  /** The patch would make the state too large; nothing changed, the step is still held. */
  record StateTooLarge() implements SuspendTaskOutcome {}
}
