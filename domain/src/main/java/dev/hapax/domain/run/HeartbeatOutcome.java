package dev.hapax.domain.run;

import java.time.Duration;
import java.util.Optional;

/** The outcome of {@link HeartbeatTask}. */
public sealed interface HeartbeatOutcome permits HeartbeatOutcome.Renewed, TaskLost {
  /**
   * The caller still holds the task.
   *
   * @param attemptRemaining of the time of the attempt; empty = it has none
   */
  record Renewed(Run run, Duration leaseRemaining, Optional<Duration> attemptRemaining)
      implements HeartbeatOutcome {}
}
