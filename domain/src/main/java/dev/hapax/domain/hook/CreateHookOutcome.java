package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.TaskLost;
import java.util.Optional;

/** The outcome of {@link CreateHook}. */
public sealed interface CreateHookOutcome {
  /**
   * The run owns the token.
   *
   * @param from the former owner, as it is now
   * @param already since before; nothing changed
   */
  record Owned(Hook hook, Run run, Optional<Run> from, boolean already)
      implements CreateHookOutcome {}

  /** Another run owns it; nothing changed. */
  record Conflict(Run owner) implements CreateHookOutcome {}

  record NotFound() implements CreateHookOutcome {}

  /** The run has ended, and cannot own a token. */
  record RunEnded(Run run) implements CreateHookOutcome {}

  /**
   * The run waits for its turn, and owns no token meanwhile: two such runs could block each other.
   */
  record Blocked(Run run) implements CreateHookOutcome {}

  /** The claim does not hold the step that requested the token. */
  record Lost(TaskLost lost) implements CreateHookOutcome {}

  /** The run's history is full. */
  record Full() implements CreateHookOutcome {}
}
