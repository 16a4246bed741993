package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.domain.DurationText;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Formats values of the API as text, and messages as JSON. */
public final class ValueFormat {
  private static final int LONGEST = 120;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+\\s*");

  private ValueFormat() {}

  /** Returns a message as protobuf JSON in one line. */
  public static String json(Message message) throws InvalidProtocolBufferException {
    return JsonFormat.printer().omittingInsignificantWhitespace().print(message);
  }

  public static Instant instant(Timestamp wire) {
    return Instant.ofEpochSecond(wire.getSeconds(), wire.getNanos());
  }

  /** Formats a time with a fixed width. */
  public static String time(Timestamp wire) {
    return TIME.format(instant(wire));
  }

  /** Formats a time with its distance from now. */
  public static String moment(Timestamp wire, Instant now) {
    var moment = instant(wire);
    var ago = Duration.between(moment, now);
    return moment.truncatedTo(ChronoUnit.MILLIS)
        + (ago.isNegative()
            ? " (in " + duration(ago.negated()) + ")"
            : " (" + duration(ago) + " ago)");
  }

  /** Formats the time since an instant. */
  public static String age(Timestamp since, Instant now) {
    return duration(Duration.between(instant(since), now));
  }

  public static String ago(Timestamp since, Instant now) {
    return age(since, now) + " ago";
  }

  /** Formats a duration exactly, in the syntax of options and files. */
  public static String length(com.google.protobuf.Duration length) {
    var nanos = Durations.toNanos(length);
    return nanos < 0 ? Durations.toString(length) : DurationText.format(Duration.ofNanos(nanos));
  }

  /** Formats a duration in its largest unit. */
  public static String duration(Duration duration) {
    if (duration.compareTo(Duration.ofMinutes(2)) < 0) {
      return Math.max(0, duration.toSeconds()) + "s";
    }
    if (duration.compareTo(Duration.ofHours(2)) < 0) {
      return duration.toMinutes() + "m";
    }
    return duration.compareTo(Duration.ofDays(2)) < 0
        ? duration.toHours() + "h"
        : duration.toDays() + "d";
  }

  /** Formats the remaining time of a lease, or the time since it expired. */
  public static String left(Timestamp until, Instant now) {
    var left = Duration.between(now, instant(until));
    return left.isNegative() ? "expired for " + duration(left.negated()) : duration(left);
  }

  /** Formats the duration of a step, in milliseconds below 10 s. */
  public static String took(Timestamp from, Timestamp to) {
    var took = Duration.between(instant(from), instant(to));
    return took.compareTo(Duration.ofSeconds(10)) < 0
        ? Math.max(0, took.toMillis()) + "ms"
        : duration(took);
  }

  /** Shortens a text to one line without control characters. */
  public static String line(String text) {
    var line = CONTROL.matcher(text).replaceAll(" ");
    return line.length() > LONGEST ? line.substring(0, LONGEST - 1) + "…" : line;
  }

  public static String payload(Payload payload) {
    return payload.hasBinary()
        ? payload.getBinary().size() + " bytes (--json prints them)"
        : payload.getJson();
  }

  public static String status(RunStatus status) {
    return EnumOption.text(status);
  }

  public static String failure(Failure failure) {
    return (failure.getCode() + " " + failure.getMessage()).stripTrailing();
  }

  /** Formats names as one line; a dash for none. */
  public static String list(List<String> names) {
    return orDash(line(String.join(", ", names)));
  }

  public static String orDash(String text) {
    return text.isEmpty() ? "-" : text;
  }
}
