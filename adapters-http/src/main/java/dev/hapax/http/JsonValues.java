package dev.hapax.http;

import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The JSON of single values, by the type of their field. */
final class JsonValues {
  private static final String TIME = Timestamp.getDescriptor().getFullName();
  private static final String DURATION = Duration.getDescriptor().getFullName();

  private static final Pattern RFC_3339 =
      Pattern.compile(
          "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})");
  private static final Pattern SECONDS = Pattern.compile("-?\\d{1,12}(\\.\\d{1,9})?s");

  /** The longest number that is read; none of the API needs as many characters. */
  private static final int MAX_NUMBER = 40;

  /** The length of a time with all its digits, the longest of such values. */
  private static final int MAX_SHOWN = 35;

  private JsonValues() {}

  /** Whether the JSON of the field is an object: a message, but neither a time nor a duration. */
  static boolean isObject(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE && !is(field, TIME) && !is(field, DURATION);
  }

  private static boolean is(FieldDescriptor field, String type) {
    return field.getMessageType().getFullName().equals(type);
  }

  /** Returns the rule that a token breaks; empty = it is a value of the field. */
  static Optional<String> rule(FieldDescriptor field, JsonToken token, String text) {
    var isText = token == JsonToken.VALUE_STRING;
    return switch (field.getJavaType()) {
      case STRING ->
          broken(
              isText,
              token.isStructStart() ? "must be a text: send JSON as a text" : "must be a text");
      case BYTE_STRING -> broken(isText && isBase64(text), "must be a text of base64");
      case BOOLEAN -> broken(token.isBoolean(), "must be true or false");
      case INT -> broken(isInteger(token, text, Integer.SIZE), "must be an integer of 32 bits");
      case LONG -> broken(isInteger(token, text, Long.SIZE), "must be an integer of 64 bits");
      case FLOAT, DOUBLE -> broken(isNumber(token, text), "must be a number");
      case ENUM ->
          broken(
              token.isScalarValue() && isReadable(field.getEnumType(), text),
              names(field.getEnumType()));
      case MESSAGE ->
          is(field, TIME)
              ? broken(
                  isText && isTime(text),
                  "must be a time of RFC 3339, such as 2030-01-31T10:00:00Z")
              : broken(
                  isText && SECONDS.matcher(text).matches(), "must be a duration such as \"60s\"");
    };
  }

  private static Optional<String> broken(boolean isValue, String rule) {
    return isValue ? Optional.empty() : Optional.of(rule);
  }

  private static boolean isTime(String text) {
    try {
      return RFC_3339.matcher(text).matches() && OffsetDateTime.parse(text).getYear() > 0;
    } catch (DateTimeException _) {
      return false;
    }
  }

  private static boolean isBase64(String text) {
    try {
      var _ = Base64.getDecoder().decode(text.replace('-', '+').replace('_', '/'));
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static boolean isInteger(JsonToken token, String text, int bits) {
    try {
      return isNumber(token, text) && integer(text).bitLength() < bits;
    } catch (ArithmeticException | NumberFormatException _) {
      return false;
    }
  }

  /** An exponent can ask for more digits than there is memory. */
  private static BigInteger integer(String text) {
    var number = new BigDecimal(text);
    if (number.precision() - number.scale() > MAX_NUMBER) {
      throw new ArithmeticException("too large");
    }
    return number.toBigIntegerExact();
  }

  private static boolean isNumber(JsonToken token, String text) {
    try {
      return (token.isNumeric() || token == JsonToken.VALUE_STRING)
          && text.length() <= MAX_NUMBER
          && Double.isFinite(Double.parseDouble(text));
    } catch (NumberFormatException _) {
      return false;
    }
  }

  /** A number that the enum does not have is kept, and refused by the method. */
  private static boolean isReadable(EnumDescriptor type, String text) {
    if (type.findValueByName(text) != null) {
      return true;
    }
    try {
      return Integer.toString(Integer.parseInt(text)).equals(text);
    } catch (NumberFormatException _) {
      return false;
    }
  }

  private static String names(EnumDescriptor type) {
    return type.getValues().stream()
        .filter(value -> value.getNumber() != 0)
        .map(EnumValueDescriptor::getName)
        .collect(Collectors.joining(", ", "must be one of ", ""));
  }

  /** A scalar as an error repeats it; one that is too long for such a field may be a payload. */
  static String shown(JsonToken token, String text) {
    if (!token.isScalarValue() || text.length() > MAX_SHOWN) {
      return kind(token);
    }
    return token == JsonToken.VALUE_STRING ? "\"%s\"".formatted(text) : text;
  }

  /** What a token is. */
  static String kind(JsonToken token) {
    if (token.isStructStart()) {
      return token == JsonToken.START_OBJECT ? "an object" : "a list";
    }
    return token == JsonToken.VALUE_STRING ? "a text" : "another value";
  }

  /** The beginning of a long text. */
  static String cut(String text) {
    return text.codePointCount(0, text.length()) <= MAX_SHOWN
        ? text
        : text.substring(0, text.offsetByCodePoints(0, MAX_SHOWN)) + "...";
  }
}
