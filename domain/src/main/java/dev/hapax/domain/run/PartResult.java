package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The answer to a report about a part: how the part is after the report. */
public sealed interface PartResult {
  /**
   * Its output is recorded.
   *
   * @param already it was recorded before
   */
  record Recorded(Payload output, boolean already) implements PartResult {}

  /**
   * It failed.
   *
   * @param attempts the number of its last attempt
   * @param next the next attempt; empty = it failed for good
   */
  record Failed(Failure failure, int attempts, Optional<Next> next) implements PartResult {}

  /**
   * The next attempt.
   *
   * @param at by the database's clock
   * @param in the time until then; 0 = it is due
   */
  record Next(Instant at, Duration in) {
    static Next at(Instant due, Instant now) {
      return new Next(due, due.isAfter(now) ? Duration.between(now, due) : Duration.ZERO);
    }
  }

  /**
   * Its body may be running.
   *
   * @param inDoubt another grant began it
   */
  record Begun(PartId id, boolean inDoubt) implements PartResult {}
}
