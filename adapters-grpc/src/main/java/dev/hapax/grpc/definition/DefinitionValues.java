package dev.hapax.grpc.definition;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import dev.hapax.domain.DurationText;
import dev.hapax.grpc.call.Durations;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;

/** Parses the scalar values of a definition from JSON. */
final class DefinitionValues {
  private DefinitionValues() {}

  /** Returns whether JSON represents this message as a string. */
  static boolean isWritten(FieldDescriptor field) {
    return is(field, Duration.getDescriptor().getFullName())
        || is(field, Timestamp.getDescriptor().getFullName());
  }

  private static boolean is(FieldDescriptor field, String type) {
    return field.getMessageType().getFullName().equals(type);
  }

  /**
   * Returns the value of a field.
   *
   * @throws IllegalArgumentException for an invalid value
   */
  static Object read(FieldDescriptor field, String text, boolean isText) {
    return switch (field.getJavaType()) {
      case STRING -> {
        if (!isText) {
          throw new IllegalArgumentException("must be a string");
        }
        yield text;
      }
      case INT -> integer(text);
      case DOUBLE -> number(text);
      case BOOLEAN -> flag(text, isText);
      case MESSAGE ->
          is(field, Duration.getDescriptor().getFullName()) ? duration(text) : time(text);
      case LONG, FLOAT, BYTE_STRING, ENUM ->
          throw new IllegalStateException("no definition has a " + field);
    };
  }

  private static int integer(String text) {
    try {
      return new BigDecimal(text).intValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("must be an integer", e);
    }
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("must be a number", e);
    }
  }

  private static boolean flag(String text, boolean isText) {
    if (isText || !(text.equals("true") || text.equals("false"))) {
      throw new IllegalArgumentException("must be true or false");
    }
    return text.equals("true");
  }

  private static Duration duration(String text) {
    return Durations.encode(DurationText.parse(text));
  }

  private static Timestamp time(String text) {
    try {
      // refuses 24:00:00 and leap seconds, which Instant moves; Instant requires the seconds
      var _ = OffsetDateTime.parse(text);
      return Durations.encode(Instant.parse(text));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("must be a time such as 2030-01-31T10:00:00Z", e);
    }
  }
}
