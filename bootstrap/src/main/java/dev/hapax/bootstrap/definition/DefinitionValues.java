package dev.hapax.bootstrap.definition;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import java.math.BigDecimal;
import java.text.ParseException;
import java.util.regex.Pattern;

/** The single values of a definition, as they are written in JSON. */
final class DefinitionValues {
  private static final Pattern LENGTH = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

  private DefinitionValues() {}

  /** Whether this message is written as a text. */
  static boolean isWritten(FieldDescriptor field) {
    return is(field, Duration.getDescriptor().getFullName())
        || is(field, Timestamp.getDescriptor().getFullName());
  }

  private static boolean is(FieldDescriptor field, String type) {
    return field.getMessageType().getFullName().equals(type);
  }

  /**
   * The value for a field.
   *
   * @throws IllegalArgumentException with what is wrong
   */
  static Object read(FieldDescriptor field, String text, boolean isText) {
    return switch (field.getJavaType()) {
      case STRING -> {
        if (!isText) {
          throw new IllegalArgumentException("must be a text in quotes");
        }
        yield text;
      }
      case INT -> integer(text);
      case DOUBLE -> number(text);
      case MESSAGE ->
          is(field, Duration.getDescriptor().getFullName()) ? duration(text) : time(text);
      case LONG, FLOAT, BOOLEAN, BYTE_STRING, ENUM ->
          throw new IllegalStateException("no definition has a " + field);
    };
  }

  private static int integer(String text) {
    try {
      return new BigDecimal(text).intValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("must be a whole number", e);
    }
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("must be a number", e);
    }
  }

  private static Duration duration(String text) {
    var length = LENGTH.matcher(text);
    if (length.matches()) {
      long amount = Long.parseLong(length.group(1));
      return switch (length.group(2)) {
        case "ms" -> Durations.fromMillis(amount);
        case "s" -> Durations.fromSeconds(amount);
        case "m" -> Durations.fromMinutes(amount);
        case "h" -> Durations.fromHours(amount);
        default -> Durations.fromDays(amount);
      };
    }
    try {
      return Durations.parse(text);
    } catch (ParseException e) {
      throw new IllegalArgumentException("must be a duration such as 500ms, 30s, 5m, 2h or 1d", e);
    }
  }

  private static Timestamp time(String text) {
    try {
      return Timestamps.parse(text);
    } catch (ParseException e) {
      throw new IllegalArgumentException("must be a time such as 2030-01-31T10:00:00Z", e);
    }
  }
}
