package dev.hapax.grpc.call;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import dev.hapax.domain.InvalidValueException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Decodes and encodes durations and timestamps. */
public final class Durations {
  /** The limit of google.protobuf.Duration: about 10,000 years. */
  private static final long MAX_SECONDS = 315_576_000_000L;

  private static final int NANOS = 1_000_000_000;
  private static final int NANO_DIGITS = 9;

  private Durations() {}

  /**
   * Decodes a duration.
   *
   * @param unset the default
   * @param rule returns the duration, or throws {@link dev.hapax.domain.InvalidValueException}
   */
  public static java.time.Duration read(
      String field,
      boolean isSet,
      Duration sent,
      java.time.Duration unset,
      UnaryOperator<java.time.Duration> rule) {
    if (!isSet) {
      return unset;
    }
    var seconds = sent.getSeconds();
    var nanos = sent.getNanos();
    if (Math.abs(seconds) > MAX_SECONDS
        || seconds < -MAX_SECONDS
        || Math.abs((long) nanos) >= NANOS
        || (seconds > 0 && nanos < 0)
        || (seconds < 0 && nanos > 0)) {
      throw new InvalidFieldException(field, "is not a valid duration");
    }
    try {
      return rule.apply(java.time.Duration.ofSeconds(seconds, nanos));
    } catch (InvalidValueException e) {
      throw new InvalidFieldException(
          field, "%s (was %s s)".formatted(e.rule(), decimal(seconds, nanos)));
    }
  }

  private static String decimal(long seconds, int nanos) {
    var total = BigDecimal.valueOf(seconds).add(BigDecimal.valueOf(nanos, NANO_DIGITS));
    return total.stripTrailingZeros().toPlainString();
  }

  /** Decodes a timestamp. */
  public static Instant read(String field, Timestamp sent) {
    var year10000 = 253_402_300_800L;
    var year1 = -62_135_596_800L;
    if (sent.getNanos() < 0
        || sent.getNanos() >= NANOS
        || sent.getSeconds() < year1
        || sent.getSeconds() >= year10000) {
      throw new InvalidFieldException(field, "is not a valid timestamp");
    }
    try {
      return Instant.ofEpochSecond(sent.getSeconds(), sent.getNanos());
    } catch (DateTimeException e) {
      throw new InvalidFieldException(field, "is not a valid timestamp");
    }
  }

  /** Decodes a timestamp that may be unset. */
  public static Optional<Instant> read(String field, boolean isSet, Timestamp sent) {
    return isSet ? Optional.of(read(field, sent)) : Optional.empty();
  }

  public static Duration encode(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  public static Timestamp encode(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
