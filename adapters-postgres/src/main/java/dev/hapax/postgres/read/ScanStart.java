package dev.hapax.postgres.read;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** The start of a scan for expired rows: earlier rows were found by the scans before. */
public final class ScanStart {
  /** Stands for an unbounded scan; PostgreSQL can subtract it from a time. */
  private static final Duration UNBOUNDED = Duration.ofDays(100 * 365);

  private ScanStart() {}

  /**
   * Whether this time is within the scan.
   *
   * @param micros a parameter or a column, as {@link #micros} makes it
   */
  public static Condition isWithin(Field<OffsetDateTime> time, Field<Long> micros) {
    return time.gt(
        DSL.field(
            "current_timestamp - {0} * interval '1 microsecond'", OffsetDateTime.class, micros));
  }

  /** The parameter for a scan; empty = an unbounded one. */
  public static long micros(Optional<Duration> back) {
    return Micros.of(back.orElse(UNBOUNDED));
  }
}
