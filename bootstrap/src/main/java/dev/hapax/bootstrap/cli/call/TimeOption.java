package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Timestamp;
import dev.hapax.domain.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time as typed: relative to now, such as 5m or 48h, or absolute. */
public sealed interface TimeOption {
  Instant ahead(Instant now);

  Instant ago(Instant now);

  /** A time relative to now. */
  record Distance(Duration duration) implements TimeOption {
    @Override
    public Instant ahead(Instant now) {
      return now.plus(duration);
    }

    @Override
    public Instant ago(Instant now) {
      return now.minus(duration);
    }
  }

  /** An absolute time. */
  record At(Instant time) implements TimeOption {
    @Override
    public Instant ahead(Instant now) {
      return time;
    }

    @Override
    public Instant ago(Instant now) {
      return time;
    }
  }

  static Timestamp wire(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }

  /** Parses a relative or absolute time. */
  final class Converter implements ITypeConverter<TimeOption> {
    @Override
    public TimeOption convert(String text) {
      if (text.matches("[0-9.]+[a-z][0-9a-z.]*")) {
        return new Distance(new Length().convert(text));
      }
      try {
        return new At(OffsetDateTime.parse(text).toInstant());
      } catch (DateTimeParseException _) {
        throw new TypeConversionException(
            "'"
                + text
                + "' is neither a duration such as 5m nor a time such as"
                + " 2030-01-31T10:00:00Z");
      }
    }
  }

  /** Parses a duration as in settings; the server checks its range. */
  final class Length implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return DurationText.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
