package dev.hapax.grpc.call;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.Optional;

/** Decodes and encodes durations and timestamps. */
public final class Durations {
  private Durations() {}

  public static java.time.Duration decode(Duration sent) {
    return java.time.Duration.ofSeconds(sent.getSeconds(), sent.getNanos());
  }

  /** Decodes a duration that has a default. */
  public static java.time.Duration decode(boolean isSet, Duration sent, java.time.Duration unset) {
    return isSet ? decode(sent) : unset;
  }

  /** Decodes a duration that may be unset. */
  public static Optional<java.time.Duration> decode(boolean isSet, Duration sent) {
    return isSet ? Optional.of(decode(sent)) : Optional.empty();
  }

  public static Instant decode(Timestamp sent) {
    return Instant.ofEpochSecond(sent.getSeconds(), sent.getNanos());
  }

  /** Decodes a timestamp that may be unset. */
  public static Optional<Instant> decode(boolean isSet, Timestamp sent) {
    return isSet ? Optional.of(decode(sent)) : Optional.empty();
  }

  /** Encodes a duration; both parts of a negative one are negative. */
  public static Duration encode(java.time.Duration duration) {
    var absolute = duration.abs();
    var sign = duration.isNegative() ? -1 : 1;
    return Duration.newBuilder()
        .setSeconds(sign * absolute.getSeconds())
        .setNanos(sign * absolute.getNano())
        .build();
  }

  public static Timestamp encode(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
