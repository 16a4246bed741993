package dev.hapax.postgres.read;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Converts durations to microseconds, the precision of PostgreSQL. */
public final class Micros {
  private Micros() {}

  public static long of(Duration duration) {
    return duration.dividedBy(ChronoUnit.MICROS.getDuration());
  }

  public static Duration duration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
