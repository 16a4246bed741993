package dev.hapax.domain.janitor;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The last round of a janitor.
 *
 * @param at the time of the last sweep, successful or not
 * @param freed the number of claims that the round freed
 * @param complete whether the round covered all stuck entities; otherwise the next one continues
 * @param lastProgressAt when a round last was complete or freed a claim; empty = never
 */
public record SweepRound(
    Instant at, int freed, boolean complete, Optional<Instant> lastProgressAt) {
  /**
   * A running sweep updates its record more often than this. After this interval another node takes
   * over.
   */
  public static final Duration TAKEOVER_AFTER = Duration.ofSeconds(10);

  /** A round that begins, without any result yet. */
  static SweepRound begun(Optional<SweepRound> last, Instant now) {
    return new SweepRound(now, 0, false, last.flatMap(SweepRound::lastProgressAt));
  }

  /** The round after a sweep: part of the current round, or a new one. */
  static SweepRound swept(Optional<SweepRound> last, int freed, boolean complete, Instant now) {
    var before = last.filter(round -> !round.complete()).map(SweepRound::freed).orElse(0);
    return new SweepRound(
        now,
        before + freed,
        complete,
        complete || freed > 0 ? Optional.of(now) : last.flatMap(SweepRound::lastProgressAt));
  }

  /** When the next round is due. */
  Instant next(Duration every) {
    return at.plus(complete || every.compareTo(TAKEOVER_AFTER) < 0 ? every : TAKEOVER_AFTER);
  }
}
