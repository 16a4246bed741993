package dev.hapax.domain.janitor;

import java.time.Duration;
import java.time.Instant;

/**
 * The last time a janitor looked.
 *
 * @param freed how many claims it took back in that round
 * @param complete whether it saw all there were; otherwise it goes on
 */
public record Round(Instant at, int freed, boolean complete) {
  /** Whoever is at a round says so more often; after this time it is gone, and another goes on. */
  public static final Duration STALLED = Duration.ofSeconds(10);

  /** When the next one is to begin. */
  Instant next(Duration every) {
    return at.plus(complete || every.compareTo(STALLED) < 0 ? every : STALLED);
  }
}
