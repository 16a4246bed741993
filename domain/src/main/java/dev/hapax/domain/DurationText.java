package dev.hapax.domain;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them, in settings, options and files: {@code 1d}, {@code 1h30m}, {@code
 * 250ms}. Seconds may have a fraction, as protobuf's JSON has it.
 */
public final class DurationText {
  /** The longest duration; its nanoseconds fit into a long. */
  public static final Duration MAX = Duration.ofDays(36_500);

  private static final Pattern FORM =
      Pattern.compile(
          "(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?"
              + "(?:([0-9]{1,12}(?:\\.[0-9]{1,9})?)s)?(?:([0-9]{1,9})ms)?");
  private static final int SECONDS = 4;
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
   * Reads a duration: one or more numbers with a unit each, the largest unit first.
   *
   * @throws InvalidValueException if the text is none, or longer than {@link #MAX}
   */
  public static Duration parse(String text) {
    var match = FORM.matcher(text);
    if (text.isEmpty() || !match.matches()) {
      throw new InvalidValueException("must be a duration such as 250ms, 30s, 90m, 1h30m or 1d");
    }
    var total = Duration.ZERO;
    for (int group = 1; group <= UNITS.size(); group++) {
      total = total.plus(part(match, group));
    }
    if (total.compareTo(MAX) > 0) {
      throw new InvalidValueException("must be %dd at most".formatted(MAX.toDays()));
    }
    return total;
  }

  private static Duration part(Matcher match, int group) {
    var number = match.group(group);
    if (number == null) {
      return Duration.ZERO;
    }
    if (group != SECONDS) {
      return UNITS.get(group - 1).length().multipliedBy(Long.parseLong(number));
    }
    int point = number.indexOf('.');
    if (point < 0) {
      return Duration.ofSeconds(Long.parseLong(number));
    }
    var fraction = number.substring(point + 1);
    return Duration.ofSeconds(
        Long.parseLong(number.substring(0, point)),
        Long.parseLong(fraction + "0".repeat(NANO_DIGITS - fraction.length())));
  }

  /** Writes a duration that is not negative: in the largest unit that divides it. */
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
