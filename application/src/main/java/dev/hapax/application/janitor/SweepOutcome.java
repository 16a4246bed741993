package dev.hapax.application.janitor;

/** The outcome of a requested sweep. */
public sealed interface SweepOutcome {
  /**
   * The sweep ran.
   *
   * @param freed the number of claims it freed
   * @param complete whether the round ended: the sweep read all stuck entities, or freed none of a
   *     full page; otherwise the next sweep continues
   */
  record Swept(int freed, boolean complete) implements SweepOutcome {}

  /** The janitor is remote: its module polls for recoveries. */
  record NotHosted() implements SweepOutcome {}

  /** The module has no contract. */
  record NotFound() implements SweepOutcome {}
}
