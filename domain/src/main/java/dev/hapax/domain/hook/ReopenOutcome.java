package dev.hapax.domain.hook;

import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.Run;

/** The outcome of {@link ReopenRunWithHooks}. */
public sealed interface ReopenOutcome {
  /** It was decided; if the run continues, it owns its tokens again. */
  record Decided(ControlOutcome outcome) implements ReopenOutcome {}

  /** Another run owns this token; nothing changed. */
  record Conflict(HookId hook, Run owner) implements ReopenOutcome {}

  /** Nothing was decided: the run has changed since its tokens were read. */
  record Outdated() implements ReopenOutcome {}
}
