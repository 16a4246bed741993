package dev.hapax.domain.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The outcome of {@link ClaimTask}. */
public sealed interface ClaimTaskOutcome {
  /**
   * The worker holds the run's current step.
   *
   * @param leaseRemaining at the time of the decision, by the database's clock
   */
  record Claimed(Run run, Duration leaseRemaining) implements ClaimTaskOutcome {
    static Claimed of(Run run, Instant now) {
      var remaining = Duration.between(now, run.held().orElseThrow().leaseUntil());
      return new Claimed(run, remaining.isNegative() ? Duration.ZERO : remaining);
    }
  }

  /**
   * The run has no step that this worker can take now.
   *
   * @param run its current state; empty = no such run
   * @param now by the database's clock, which decides what is due
   */
  record NothingToDo(Optional<Run> run, Instant now) implements ClaimTaskOutcome {}
}
