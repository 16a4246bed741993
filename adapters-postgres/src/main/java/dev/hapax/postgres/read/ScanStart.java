package dev.hapax.postgres.read;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** How far back a look for what is over goes: what was over before has been seen. */
public final class ScanStart {
  /** As good as for ever, and a time the database can count with. */
  private static final Duration AGES = Duration.ofDays(100 * 365);

  private ScanStart() {}

  /**
   * Whether this time is not longer ago.
   *
   * @param micros a parameter or a column, as {@link #micros} makes it
   */
  public static Condition isWithin(Field<OffsetDateTime> time, Field<Long> micros) {
    return time.gt(
        DSL.field(
            "current_timestamp - {0} * interval '1 microsecond'", OffsetDateTime.class, micros));
  }

  /** Empty = to the beginning. */
  public static long micros(Optional<Duration> back) {
    return Micros.of(back.orElse(AGES));
  }
}
