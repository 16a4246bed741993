package dev.hapax.postgres.read;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Converts times to microseconds, the precision of PostgreSQL. */
public final class Micros {
  private Micros() {}

  public static long of(Duration duration) {
    return duration.dividedBy(ChronoUnit.MICROS.getDuration());
  }

  public static long of(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  public static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  public static Duration duration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
