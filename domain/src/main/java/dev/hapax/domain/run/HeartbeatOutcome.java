package dev.hapax.domain.run;

import java.time.Duration;

/** What became of a heartbeat. */
public sealed interface HeartbeatOutcome permits HeartbeatOutcome.Renewed, TaskLost {
  record Renewed(Run run, Duration leaseRemaining) implements HeartbeatOutcome {}
}
