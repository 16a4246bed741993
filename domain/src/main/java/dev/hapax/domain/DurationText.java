package dev.hapax.domain;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * Parses and formats durations in settings, options and files: {@code 1d}, {@code 1h30m}, {@code
 * 250ms}. Seconds may have a fraction, as in protobuf's JSON.
 */
public final class DurationText {
  /** The longest duration; its nanoseconds fit into a long. */
  public static final Duration MAX = Duration.ofDays(36_500);

  private static final String SECONDS = "s";
  private static final int MAX_DIGITS = 12;
  private static final int NANO_DIGITS = 9;
  private static final List<Unit> UNITS =
      List.of(
          new Unit("d", Duration.ofDays(1)),
          new Unit("h", Duration.ofHours(1)),
          new Unit("m", Duration.ofMinutes(1)),
          new Unit("s", Duration.ofSeconds(1)),
          new Unit("ms", Duration.ofMillis(1)));

  private record Unit(String name, Duration length) {}

  private DurationText() {}

  /**
   * Parses a duration: one or more numbers with a unit each, the largest unit first.
   *
   * @throws InvalidValueException if the text is no duration, or one longer than {@link #MAX}
   */
  public static Duration parse(String text) {
    var total = Duration.ZERO;
    int smallest = -1;
    int at = 0;
    do {
      int unitAt = skip(text, at, DurationText::isOfNumber);
      int end = skip(text, unitAt, c -> !isOfNumber(c));
      int unit = unit(text.substring(unitAt, end));
      if (unit <= smallest) {
        throw malformed();
      }
      total = total.plus(part(text.substring(at, unitAt), UNITS.get(unit)));
      smallest = unit;
      at = end;
    } while (at < text.length());
    if (total.compareTo(MAX) > 0) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "must be %dd at most", MAX.toDays()));
    }
    return total;
  }

  private static boolean isOfNumber(int c) {
    return (c >= '0' && c <= '9') || c == '.';
  }

  private static int skip(String text, int from, IntPredicate skipped) {
    int at = from;
    while (at < text.length() && skipped.test(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static int unit(String name) {
    for (int unit = 0; unit < UNITS.size(); unit++) {
      if (UNITS.get(unit).name().equals(name)) {
        return unit;
      }
    }
    throw malformed();
  }

  private static Duration part(String number, Unit unit) {
    int point = number.indexOf('.');
    if (point < 0) {
      return unit.length().multipliedBy(digits(number, MAX_DIGITS));
    }
    if (!unit.name().equals(SECONDS)) {
      throw malformed();
    }
    var fraction = number.substring(point + 1);
    long nanos = digits(fraction, NANO_DIGITS);
    for (int digit = fraction.length(); digit < NANO_DIGITS; digit++) {
      nanos *= 10;
    }
    return Duration.ofSeconds(digits(number.substring(0, point), MAX_DIGITS), nanos);
  }

  private static long digits(String text, int most) {
    if (text.isEmpty() || text.length() > most || text.indexOf('.') >= 0) {
      throw malformed();
    }
    return Long.parseLong(text);
  }

  private static InvalidValueException malformed() {
    return new InvalidValueException("must be a duration such as 250ms, 30s, 90m, 1h30m or 1d");
  }

  /** Formats a non-negative duration in the largest unit that divides it. */
  public static String format(Duration duration) {
    return UNITS.stream()
        .filter(unit -> duration.toNanos() % unit.length().toNanos() == 0)
        .filter(_ -> !duration.isZero())
        .findFirst()
        .map(unit -> duration.dividedBy(unit.length()) + unit.name())
        .orElseGet(() -> seconds(duration));
  }

  private static String seconds(Duration duration) {
    return BigDecimal.valueOf(duration.toNanos(), NANO_DIGITS).stripTrailingZeros().toPlainString()
        + "s";
  }
}
