package dev.hapax.domain.run;

import java.util.OptionalLong;

/** What became of a cancel, a pause, a resume or a retry. */
public sealed interface ControlOutcome {
  /** It is so now, or was before. */
  record Steered(Run run) implements ControlOutcome {}

  record NotFound() implements ControlOutcome {}

  /** The run is not at the version that was expected; nothing changed. */
  record Moved(Run run) implements ControlOutcome {}

  /** The run's status does not allow it; nothing changed. */
  record NotAllowed(Run run) implements ControlOutcome {}

  static boolean isExpected(Run run, OptionalLong version) {
    return version.isEmpty() || version.getAsLong() == run.version();
  }
}
