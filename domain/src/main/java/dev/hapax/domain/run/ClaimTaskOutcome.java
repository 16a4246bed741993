package dev.hapax.domain.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What became of a claim. */
public sealed interface ClaimTaskOutcome {
  /**
   * The worker holds the run's current step.
   *
   * @param leaseRemaining by the database's clock, when it was decided
   */
  record Claimed(Run run, Duration leaseRemaining) implements ClaimTaskOutcome {
    static Claimed of(Run run, Instant now) {
      var remaining = Duration.between(now, run.held().orElseThrow().leaseUntil());
      return new Claimed(run, remaining.isNegative() ? Duration.ZERO : remaining);
    }
  }

  /**
   * There is nothing to take.
   *
   * @param run as it is; empty = there is none
   * @param now by the database's clock, which alone says what is due
   */
  record NothingToDo(Optional<Run> run, Instant now) implements ClaimTaskOutcome {}
}
