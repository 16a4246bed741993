package dev.hapax.domain.hook;

import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.Run;

/** The outcome of {@link RetryRunWithHooks}. */
public sealed interface RetryOutcome {
  /** The retry was decided; if it was applied, the run owns its tokens again. */
  record Decided(ControlOutcome outcome) implements RetryOutcome {}

  /** Another run owns this token; nothing changed. */
  record Conflict(HookId hook, Run owner) implements RetryOutcome {}

  /** Nothing was decided: the run has changed since its tokens were read. */
  record Outdated() implements RetryOutcome {}
}
