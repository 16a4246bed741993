package dev.hapax.domain.run;

/** What became of a suspension. */
public sealed interface SuspendTaskOutcome
    permits SuspendTaskOutcome.Suspended, SuspendTaskOutcome.StateTooLarge, TaskLost {
  /**
   * The step waits.
   *
   * @param already the same claim had done so before
   */
  record Suspended(Run run, boolean already) implements SuspendTaskOutcome {}

  /** The patch would make the state too large; nothing changed, the step is still held. */
  record StateTooLarge() implements SuspendTaskOutcome {}
}
