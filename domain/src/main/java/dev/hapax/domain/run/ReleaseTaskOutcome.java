package dev.hapax.domain.run;

/** The outcome of {@link ReleaseTask}. */
public sealed interface ReleaseTaskOutcome permits ReleaseTaskOutcome.Released, TaskLost {
  /**
   * The step is offered to workers again.
   *
   * @param already the same claim had released it before
   */
  record Released(Run run, boolean already) implements ReleaseTaskOutcome {}
}
