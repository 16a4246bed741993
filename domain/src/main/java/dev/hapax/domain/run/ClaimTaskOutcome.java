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
   * @param attemptRemaining of the time of the attempt; empty = it has none
   */
  record Claimed(Run run, Duration leaseRemaining, Optional<Duration> attemptRemaining)
      implements ClaimTaskOutcome {
    static Claimed of(Run run, Instant now) {
      var held = run.held().orElseThrow();
      return new Claimed(
          run,
          remaining(now, held.leaseUntil()),
          held.attemptUntil().map(until -> remaining(now, until)));
    }

    private static Duration remaining(Instant now, Instant until) {
      return now.isBefore(until) ? Duration.between(now, until) : Duration.ZERO;
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
