package dev.hapax.domain.monitoring;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;

/** A committed time of work, by the clock of the database. */
public sealed interface WorkTime {
  /** How long a task was ready until a worker got it. */
  record TaskStarted(Workspace workspace, String queue, String step, Duration waited)
      implements WorkTime {}

  /** How long a worker executed an attempt of a step, whatever came of it. */
  record StepExecuted(Workspace workspace, String queue, String step, Duration took)
      implements WorkTime {}

  /** How long a run took from its start to its end. */
  record RunTook(Workspace workspace, String definition, RunStatus status, Duration took)
      implements WorkTime {}
}
