package dev.hapax.domain.run;

import java.time.Instant;
import java.util.Optional;

/** What became of a claim. */
public sealed interface ClaimTaskOutcome {
  /** The worker holds the run's current step. */
  record Claimed(Run run) implements ClaimTaskOutcome {}

  /**
   * There is nothing to take.
   *
   * @param run as it is; empty = there is none
   * @param now by the database's clock, which alone says what is due
   */
  record NothingToDo(Optional<Run> run, Instant now) implements ClaimTaskOutcome {}
}
