package dev.hapax.domain.run;

import java.util.OptionalLong;

/** The outcome of a cancel, pause, resume, retry or settlement. */
public sealed interface ControlOutcome {
  /**
   * The run is in the requested state.
   *
   * @param already since before; nothing changed
   */
  record Applied(Run run, boolean already) implements ControlOutcome {}

  record NotFound() implements ControlOutcome {}

  /** The run's version is not the expected one; nothing changed. */
  record Moved(Run run) implements ControlOutcome {}

  /** The run's status does not allow it; nothing changed. */
  record NotAllowed(Run run) implements ControlOutcome {}

  /** The step or part is not one that an operator may settle; nothing changed. */
  record NotSettleable(Run run, String why) implements ControlOutcome {}

  /** The patch would make the state too large; nothing changed. */
  record StateTooLarge() implements ControlOutcome {}

  static boolean isExpected(Run run, OptionalLong version) {
    return version.isEmpty() || version.getAsLong() == run.version();
  }
}
