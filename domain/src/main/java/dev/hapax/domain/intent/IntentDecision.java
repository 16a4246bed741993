package dev.hapax.domain.intent;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.util.List;
import java.util.Optional;

/** The outcome of a command, as it matters to the intent that asked for it. */
sealed interface IntentDecision {
  /**
   * The intent is settled.
   *
   * @param changed the runs that the command changed
   */
  record Decided(IntentOutcome outcome, List<Run> changed) implements IntentDecision {
    static Decided of(IntentOutcome outcome, Run... changed) {
      return new Decided(outcome, List.of(changed));
    }
  }

  /** The inbox of the run is full; nothing was changed. */
  record Full(RunId run) implements IntentDecision {}

  /** The definition is not the latest version; nothing was changed. */
  record Outdated(Optional<DefinitionId> latest) implements IntentDecision {}
}
