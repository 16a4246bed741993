package dev.hapax.bench.peers;

import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code 500us}, {@code 1ms}, {@code 60s} and {@code 2m}. */
final class ShortDuration implements ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(us|ms|s|m)");

  @Override
  public Duration convert(String text) {
    var parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw new TypeConversionException(
          "'%s' must be a number and a unit (us, ms, s or m), such as 1ms".formatted(text));
    }
    var number = Long.parseLong(parts.group(1));
    return switch (parts.group(2)) {
      case "us" -> Duration.ofNanos(number * 1_000);
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }
}
