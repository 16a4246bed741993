package dev.hapax.domain.run;

import java.time.Duration;

/** The outcome of {@link HeartbeatTask}. */
public sealed interface HeartbeatOutcome permits HeartbeatOutcome.Renewed, TaskLost {
  record Renewed(Run run, Duration leaseRemaining) implements HeartbeatOutcome {}
}
