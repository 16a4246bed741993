package dev.hapax.application.janitor;

/** What became of a sweep that somebody asked for. */
public sealed interface SweepOutcome {
  /**
   * It was made.
   *
   * @param freed how many claims it took back
   * @param complete whether it saw all there were; otherwise the next one goes on
   */
  record Swept(int freed, boolean complete) implements SweepOutcome {}

  /** The module looks by itself: it polls for recoveries. */
  record NotHosted() implements SweepOutcome {}

  /** There is no such contract. */
  record NotFound() implements SweepOutcome {}
}
