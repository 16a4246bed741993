package dev.hapax.domain.janitor;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The last round of a janitor.
 *
 * @param at when it was last at it, whatever came of that
 * @param freed how many claims it took back in that round
 * @param complete whether it saw all there were; otherwise it goes on
 * @param lastProgressAt when it last saw all there were, or took something back; empty = never
 */
public record SweepRound(Instant at, int freed, boolean complete, Optional<Instant> lastProgressAt) {
  /** Whoever is at a round says so more often; after this time it is gone, and another goes on. */
  public static final Duration TAKEOVER_AFTER = Duration.ofSeconds(10);

  /** One that begins. Nothing has come of it, and perhaps nothing will. */
  static SweepRound begun(Optional<SweepRound> last, Instant now) {
    return new SweepRound(now, 0, false, last.flatMap(SweepRound::lastProgressAt));
  }

  /** With what a look has freed: as part of the round, or as one of its own. */
  static SweepRound looked(Optional<SweepRound> last, int freed, boolean complete, Instant now) {
    var before = last.filter(round -> !round.complete()).map(SweepRound::freed).orElse(0);
    return new SweepRound(
        now,
        before + freed,
        complete,
        complete || freed > 0 ? Optional.of(now) : last.flatMap(SweepRound::lastProgressAt));
  }

  /** When the next one is to begin. */
  Instant next(Duration every) {
    return at.plus(complete || every.compareTo(TAKEOVER_AFTER) < 0 ? every : TAKEOVER_AFTER);
  }
}
