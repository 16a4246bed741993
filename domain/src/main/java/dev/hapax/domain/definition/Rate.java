package dev.hapax.domain.definition;

import dev.hapax.domain.InvalidValueException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * How many runs may start in a time, evenly: between two starts is at least an equal part of it.
 *
 * @param per in microseconds
 */
public record Rate(int starts, Duration per) {
  public static final int MAX_STARTS = 10_000;
  private static final Duration MIN_PER = Duration.ofSeconds(1);
  private static final Duration MAX_PER = Duration.ofHours(24);

  public Rate {
    if (starts < 1 || starts > MAX_STARTS) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "must be between 1 and 10,000 (was %d)", starts));
    }
    if (per.compareTo(MIN_PER) < 0 || per.compareTo(MAX_PER) > 0) {
      throw new InvalidValueException("must be between 1 s and 24 h");
    }
    per = per.truncatedTo(ChronoUnit.MICROS);
  }

  /** The time between two starts, rounded up to microseconds. */
  public Duration interval() {
    return Duration.of(Math.ceilDiv(micros(per), (long) starts), ChronoUnit.MICROS);
  }

  /**
   * The start from which the next interval counts: the planned one, if this one is late by less
   * than half of an interval, so that delays do not add up.
   *
   * @param planned when it could begin
   */
  public Instant counted(Instant planned, Instant now) {
    return now.isBefore(planned.plus(interval().dividedBy(2))) ? planned : now;
  }

  private static long micros(Duration time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.EPOCH.plus(time));
  }
}
