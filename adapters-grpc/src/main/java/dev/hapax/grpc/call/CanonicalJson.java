package dev.hapax.grpc.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;

/**
 * Canonicalizes JSON, to compare texts. Texts with the same canonical text mean the same. White
 * space, the order of members and the notation of strings and numbers do not matter, as in RFC
 * 8785; only numbers too long or too large to convert stay as written. Unlike there, numbers keep
 * every digit: different ids beyond 2^53 stay different.
 */
public final class CanonicalJson {
  /** Longer numbers stay as written: the conversion of a number of 256 KiB takes long. */
  private static final int MAX_NUMBER = 400;

  private final JsonParser parser;
  private final StringBuilder text = new StringBuilder();

  private CanonicalJson(JsonParser parser) {
    this.parser = parser;
  }

  private record Member(String name, String value) {}

  /** The canonical text of valid JSON, to compare; it is not JSON itself. */
  public static String of(String json) {
    return JsonText.read(json, parser -> new CanonicalJson(parser).canonicalText());
  }

  private String canonicalText() throws IOException {
    value();
    return text.toString();
  }

  private void value() throws IOException {
    switch (parser.currentToken()) {
      case START_OBJECT -> members();
      case START_ARRAY -> elements();
      case VALUE_STRING -> string(parser.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> text.append(number(parser.getText()));
      case VALUE_TRUE, VALUE_FALSE, VALUE_NULL -> text.append(parser.getText());
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
          throw new IllegalStateException(
              "not the start of a JSON value: " + parser.currentToken());
    }
  }

  /** Duplicate members keep their order: readers of JSON differ in which of them they use. */
  private void members() throws IOException {
    var members = new ArrayList<Member>();
    var start = text.length();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var name = parser.currentName();
      parser.nextToken();
      value();
      members.add(new Member(name, text.substring(start)));
      text.setLength(start);
    }
    members.sort(Comparator.comparing(Member::name));
    text.append('{');
    for (var member : members) {
      string(member.name());
      text.append(member.value());
    }
    text.append('}');
  }

  private void elements() throws IOException {
    text.append('[');
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      value();
      text.append(',');
    }
    text.append(']');
  }

  /** The length says where the string ends, so no character needs an escape. */
  private void string(String value) {
    text.append('"').append(value.length()).append(':').append(value);
  }

  private static String number(String written) {
    if (written.length() > MAX_NUMBER) {
      return written;
    }
    try {
      var value = new BigDecimal(written);
      return value.signum() == 0 ? "0" : value.stripTrailingZeros().toString();
    } catch (ArithmeticException | NumberFormatException _) {
      // the exponent is out of range
      return written;
    }
  }
}
