package dev.hapax.console.view;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** A time beside the time at which the page is made. */
public record DisplayTime(Instant at, Instant now) {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  public static DisplayTime of(Timestamp at, Instant now) {
    return new DisplayTime(Instant.ofEpochSecond(at.getSeconds(), at.getNanos()), now);
  }

  /** The time of a field that may be unset. */
  public static Optional<DisplayTime> optional(boolean set, Timestamp at, Instant now) {
    return set ? Optional.of(of(at, now)) : Optional.empty();
  }

  /** For programs. */
  public String iso() {
    return at.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  public String utc() {
    return clock() + " UTC";
  }

  /** The same, for columns whose head names the zone. */
  public String clock() {
    return CLOCK.format(at);
  }

  /** How far it is from now: {@code 3 min ago}, {@code in 2 h}. */
  public String distance() {
    var ago = Duration.between(at, now);
    if (ago.abs().compareTo(Duration.ofSeconds(1)) < 0) {
      return "now";
    }
    return ago.isNegative()
        ? "in " + DurationFormat.rounded(ago.negated())
        : DurationFormat.rounded(ago) + " ago";
  }
}
