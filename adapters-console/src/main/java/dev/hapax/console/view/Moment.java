package dev.hapax.console.view;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/** A time beside the time at which the page is made. */
public record Moment(Instant at, Instant now) {
  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS 'UTC'").withZone(ZoneOffset.UTC);

  public static Moment of(Timestamp at, Instant now) {
    return new Moment(Instant.ofEpochSecond(at.getSeconds(), at.getNanos()), now);
  }

  /** For programs. */
  public String iso() {
    return at.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  public String utc() {
    return UTC.format(at);
  }

  /** How far it is from now: {@code 3 min ago}, {@code in 2 h}. */
  public String distance() {
    var ago = Duration.between(at, now);
    if (ago.abs().compareTo(Duration.ofSeconds(1)) < 0) {
      return "now";
    }
    return ago.isNegative()
        ? "in " + Lengths.rounded(ago.negated())
        : Lengths.rounded(ago) + " ago";
  }
}
