package dev.hapax.domain.janitor;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.LeaseLimits;
import java.time.Duration;

/**
 * The times on which holders and janitors agree. They are safe if:
 *
 * <pre>2 × renewEvery &lt; stopAfter &lt; staleAfter</pre>
 *
 * <p>On the right: a holder that cannot renew stops before another caller may take its claim, and
 * counts from when it <em>sent</em> its last renewal, which is before the server counts. On the
 * left: a holder survives the loss of one renewal. {@code every} does not affect safety, because
 * the next caller checks the lease itself; it bounds how long an entity stays stuck that no caller
 * requests.
 *
 * @param renewEvery the renewal interval of a holder
 * @param stopAfter the time after its last renewal at which a holder stops
 * @param staleAfter the lease: the time after the last renewal at which another caller may take the
 *     claim
 * @param every the sweep interval of the janitor
 */
public record JanitorTiming(
    Duration renewEvery, Duration stopAfter, Duration staleAfter, Duration every) {
  public static final Duration DEFAULT_EVERY = Duration.ofMinutes(2);
  public static final Duration MIN = Duration.ofMillis(100);
  public static final Duration MAX = Duration.ofHours(24);
  public static final JanitorTiming DEFAULT = of(LeaseLimits.DEFAULT_OF_ACTION, DEFAULT_EVERY);

  /** The largest duration of a sweep, which continues in the next round if it is not complete. */
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

  /** Timing with holders that renew after a third of the lease and stop a tenth before its end. */
  public static JanitorTiming of(Duration staleAfter, Duration every) {
    require(staleAfter);
    return new JanitorTiming(
        staleAfter.dividedBy(RENEWALS),
        staleAfter.multipliedBy(TENTHS - 1).dividedBy(TENTHS),
        staleAfter,
        every);
  }

  /** Returns the time, or throws if it is out of bounds. */
  public static Duration require(Duration time) {
    if (time.compareTo(MIN) < 0 || time.compareTo(MAX) > 0) {
      throw new InvalidValueException("must be between 100 ms and 24 h");
    }
    return time;
  }

  /**
   * The longest time that an entity stays stuck after its holder crashed, while its janitor is
   * healthy.
   */
  public Duration stuckAtMost() {
    return staleAfter.plus(every).plus(SWEEP);
  }
}
