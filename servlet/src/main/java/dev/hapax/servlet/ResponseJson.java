package dev.hapax.servlet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON of recorded responses: a servlet application may have no JSON library. */
final class ResponseJson {

  private static final int HEX = 16;
  private static final int UNICODE_DIGITS = 4;
  private static final int MAX_DEPTH = 64;

  private final String text;
  private int at;

  private ResponseJson(String text) {
    this.text = text;
  }

  /**
   * Reads a value: a {@code Map}, a {@code List}, a {@code String}, a {@code Double}, a {@code
   * Boolean} or null.
   *
   * @throws IllegalArgumentException if the text is no JSON
   */
  static @Nullable Object read(String text) {
    ResponseJson json = new ResponseJson(text);
    Object value = json.value(0);
    json.skipSpace();
    if (json.at < text.length()) {
      throw json.broken();
    }
    return value;
  }

  /** A JSON string. */
  static String quoted(String text) {
    StringBuilder json = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '"' || each == '\\') {
        json.append('\\').append(each);
      } else if (each < ' ' || Character.isSurrogate(each)) {
        // escaped, an unpaired surrogate is still valid UTF-8
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
      } else {
        json.append(each);
      }
    }
    return json.append('"').toString();
  }

  private @Nullable Object value(int depth) {
    skipSpace();
    if (depth > MAX_DEPTH || at == text.length()) {
      throw broken();
    }
    char first = text.charAt(at);
    if (first == '{') {
      return object(depth);
    }
    if (first == '[') {
      return list(depth);
    }
    return first == '"' ? string() : literal();
  }

  private Map<String, @Nullable Object> object(int depth) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    at++;
    if (!skips('}')) {
      do {
        skipSpace();
        String name = string();
        require(':');
        members.put(name, value(depth + 1));
      } while (skips(','));
      require('}');
    }
    return members;
  }

  private List<@Nullable Object> list(int depth) {
    List<@Nullable Object> values = new ArrayList<>();
    at++;
    if (!skips(']')) {
      do {
        values.add(value(depth + 1));
      } while (skips(','));
      require(']');
    }
    return values;
  }

  private String string() {
    require('"');
    StringBuilder value = new StringBuilder();
    while (at < text.length()) {
      char each = text.charAt(at++);
      if (each == '"') {
        return value.toString();
      }
      value.append(each == '\\' ? escaped() : each);
    }
    throw broken();
  }

  private char escaped() {
    if (at == text.length()) {
      throw broken();
    }
    char each = text.charAt(at++);
    return switch (each) {
      case '"', '\\', '/' -> each;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw broken();
    };
  }

  private char unicode() {
    int end = at + UNICODE_DIGITS;
    if (end > text.length()) {
      throw broken();
    }
    char value = (char) Integer.parseInt(text, at, end, HEX);
    at = end;
    return value;
  }

  private @Nullable Object literal() {
    int begin = at;
    while (at < text.length() && "{}[]:,\" \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(begin, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> Double.valueOf(word);
    };
  }

  private boolean skips(char expected) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == expected) {
      at++;
      return true;
    }
    return false;
  }

  private void require(char expected) {
    if (!skips(expected)) {
      throw broken();
    }
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException broken() {
    return new IllegalArgumentException("no JSON at character " + at);
  }
}
