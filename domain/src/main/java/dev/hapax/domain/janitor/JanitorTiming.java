package dev.hapax.domain.janitor;

import dev.hapax.domain.InvalidValueException;
import java.time.Duration;

/**
 * The times that holders and janitors agree on, and why they are safe together:
 *
 * <pre>2 × renewEvery &lt; stopAfter &lt; staleAfter</pre>
 *
 * <p>On the right: a holder that could not renew stops before anybody may take its claim, and
 * counts from when it <em>sent</em> its last renewal, which is before the server counted. On the
 * left: one renewal may be lost without the work being stopped. {@code every} has no part in
 * safety, since whoever comes next judges a lease; it bounds how long an entity nobody asks for
 * stays stuck.
 *
 * @param renewEvery how often a holder renews
 * @param stopAfter how long after its last renewal a holder stops
 * @param staleAfter the lease, and so how long after the last renewal a claim can be taken
 * @param every how often the janitor looks
 */
public record JanitorTiming(
    Duration renewEvery, Duration stopAfter, Duration staleAfter, Duration every) {
  public static final Duration DEFAULT_STALE_AFTER = Duration.ofMinutes(5);
  public static final Duration DEFAULT_EVERY = Duration.ofMinutes(2);
  public static final Duration MIN = Duration.ofMillis(100);
  public static final Duration MAX = Duration.ofHours(24);
  public static final JanitorTiming DEFAULT = of(DEFAULT_STALE_AFTER, DEFAULT_EVERY);

  /** What a sweep may take by itself: it is bounded, and goes on where it ended. */
  public static final Duration SWEEP = Duration.ofSeconds(30);

  private static final int RENEWALS = 3;
  private static final int TENTHS = 10;

  public JanitorTiming {
    require(staleAfter);
    require(every);
    if (!renewEvery.isPositive() || renewEvery.multipliedBy(2).compareTo(stopAfter) >= 0) {
      throw new InvalidValueException(
          "would stop a holder that loses one renewal: twice %s is not less than %s"
              .formatted(renewEvery, stopAfter));
    }
    if (stopAfter.compareTo(staleAfter) >= 0) {
      throw new InvalidValueException(
          "would let a claim be taken at %s from a holder that stops at %s"
              .formatted(staleAfter, stopAfter));
    }
  }

  /** With holders that renew at a third of the lease and stop a tenth before its end. */
  public static JanitorTiming of(Duration staleAfter, Duration every) {
    require(staleAfter);
    return new JanitorTiming(
        staleAfter.dividedBy(RENEWALS),
        staleAfter.multipliedBy(TENTHS - 1).dividedBy(TENTHS),
        staleAfter,
        every);
  }

  /** A time that may be in a contract, or a violation. */
  public static Duration require(Duration time) {
    if (time.compareTo(MIN) < 0 || time.compareTo(MAX) > 0) {
      throw new InvalidValueException("must be between 100 ms and 24 h");
    }
    return time;
  }

  /** How long an entity is stuck at most after its holder died, while its janitor lives. */
  public Duration stuckAtMost() {
    return staleAfter.plus(every).plus(SWEEP);
  }
}
