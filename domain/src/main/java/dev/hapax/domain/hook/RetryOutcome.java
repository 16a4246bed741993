package dev.hapax.domain.hook;

import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.Run;

/** What became of the retry of a run that had tokens. */
public sealed interface RetryOutcome {
  /** As for one without tokens; those it had are its own again. */
  record Decided(ControlOutcome outcome) implements RetryOutcome {}

  /** Another run owns this token now; nothing changed. */
  record Conflict(HookId hook, Run owner) implements RetryOutcome {}

  /** Nothing was decided: the run has moved, and may have had other tokens when it failed. */
  record LookAgain() implements RetryOutcome {}
}
