package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.TaskLost;
import java.util.Optional;

/** What became of a run's wish for a token. */
public sealed interface CreateHookOutcome {
  /**
   * The token is the run's, now or since it asked before.
   *
   * @param from whoever had it until now, as it is since
   */
  record Owned(Hook hook, Run run, Optional<Run> from) implements CreateHookOutcome {}

  /** Another run owns it; nothing changed. */
  record Conflict(Run owner) implements CreateHookOutcome {}

  record NotFound() implements CreateHookOutcome {}

  /** What has ended can own nothing. */
  record RunEnded(Run run) implements CreateHookOutcome {}

  /** The step that asked is not held by this claim. */
  record Lost(TaskLost lost) implements CreateHookOutcome {}

  /** The run's history is full. */
  record Full() implements CreateHookOutcome {}
}
