package dev.hapax.domain;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The fencing token of a grant, which only rises for one resource.
 *
 * <p>Starts from the clock in microseconds, so that it rises even if the previous record was purged
 * (<a
 * href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">Kleppmann</a>).
 */
public record Fence(long value) implements Comparable<Fence> {

  public static Fence first(Instant now) {
    return new Fence(ChronoUnit.MICROS.between(Instant.EPOCH, now));
  }

  public Fence next(Instant now) {
    return new Fence(Math.max(value + 1, first(now).value));
  }

  /** The time of the grant, by the clock of the database; later if that clock went back. */
  public Instant grantedAt() {
    return Instant.EPOCH.plus(value, ChronoUnit.MICROS);
  }

  @Override
  public int compareTo(Fence other) {
    return Long.compare(value, other.value);
  }
}
