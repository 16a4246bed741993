package dev.hapax.client.internal;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes JSON as RFC 8785 does, and refuses what differs between languages. */
final class CanonicalText {

  private static final Pattern NUMBER =
      Pattern.compile("-?+(?:0|[1-9][0-9]*+)(?:[.][0-9]++)?+(?:[eE][+-]?+[0-9]++)?+");
  private static final Pattern LITERAL = Pattern.compile("null|true|false");

  private static final String ESCAPES = "\"\\/bfnrt";
  private static final String ESCAPED = "\"\\/\b\f\n\r\t";

  private static final double LARGEST_INTEGER = 9_007_199_254_740_991.0;
  private static final int MAX_DEPTH = 1000;

  /** The digits that name each double. */
  private static final int MAX_DIGITS = 17;

  private final String json;
  private final StringBuilder out = new StringBuilder();
  private int at;
  private int depth;

  private CanonicalText(String json) {
    this.json = json;
  }

  /**
   * Returns the canonical text of a JSON.
   *
   * @throws IllegalArgumentException if it is no JSON, or has an integer beyond 2^53 - 1, a number
   *     that is not finite or an unpaired surrogate
   */
  static String of(String json) {
    CanonicalText text = new CanonicalText(json);
    text.value();
    if (text.next() != 0) {
      throw text.unexpected();
    }
    return text.out.toString();
  }

  private void value() {
    switch (next()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> quote(string());
      case 'n', 't', 'f' -> out.append(match(LITERAL));
      default -> number(match(NUMBER));
    }
  }

  /** Returns the next character that is no white space; 0 at the end. */
  private char next() {
    while (at < json.length() && " \t\n\r".indexOf(json.charAt(at)) >= 0) {
      at++;
    }
    return at < json.length() ? json.charAt(at) : 0;
  }

  /** Skips this character if it is the next one. */
  private boolean skip(char expected) {
    boolean isNext = next() == expected;
    if (isNext) {
      at++;
    }
    return isNext;
  }

  private void expect(char expected) {
    if (!skip(expected)) {
      throw unexpected();
    }
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException(
        at >= json.length()
            ? "an input must be JSON (it ends within a value)"
            : "an input must be JSON (unexpected character at offset " + at + ")");
  }

  private String match(Pattern token) {
    Matcher matcher = token.matcher(json).region(at, json.length());
    if (!matcher.lookingAt()) {
      throw unexpected();
    }
    at = matcher.end();
    return matcher.group();
  }

  private void enter() {
    at++;
    depth++;
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "the JSON of an input must have at most " + MAX_DEPTH + " levels");
    }
  }

  /** Of two members with one name the last counts, as for parsers of other languages. */
  private void object() {
    enter();
    SortedMap<String, String> members = new TreeMap<>(); // compares UTF-16 code units
    int start = out.length();
    if (!skip('}')) {
      do {
        if (next() != '"') {
          throw unexpected();
        }
        String name = string();
        expect(':');
        value();
        members.put(name, out.substring(start));
        out.setLength(start);
      } while (skip(','));
      expect('}');
    }
    String separator = "{";
    for (var member : members.entrySet()) {
      out.append(separator);
      quote(member.getKey());
      out.append(':').append(member.getValue());
      separator = ",";
    }
    out.append(members.isEmpty() ? "{}" : "}");
    depth--;
  }

  private void array() {
    enter();
    out.append('[');
    if (!skip(']')) {
      value();
      while (skip(',')) {
        out.append(',');
        value();
      }
      expect(']');
    }
    out.append(']');
    depth--;
  }

  private String string() {
    StringBuilder text = new StringBuilder();
    at++;
    while (true) {
      if (at >= json.length() || json.charAt(at) < ' ') {
        throw unexpected();
      }
      char each = json.charAt(at++);
      if (each == '"') {
        return text.toString();
      }
      text.append(each == '\\' ? escape() : each);
    }
  }

  private char escape() {
    int start = at - 1;
    char kind = at < json.length() ? json.charAt(at++) : 0;
    if (kind != 'u') {
      int known = ESCAPES.indexOf(kind);
      if (known < 0) {
        at = start;
        throw unexpected();
      }
      return ESCAPED.charAt(known);
    }
    int unit = 0;
    for (int end = at + 4; at < end; at++) {
      int digit = at < json.length() ? hexadecimal(json.charAt(at)) : -1;
      if (digit < 0) {
        throw unexpected();
      }
      unit = unit * 16 + digit;
    }
    return (char) unit;
  }

  private static int hexadecimal(char digit) {
    return digit < 128 ? Character.digit(digit, 16) : -1;
  }

  private void quote(String text) {
    out.append('"');
    text.codePoints()
        .forEach(
            each -> {
              // an unpaired surrogate is a code point of its own
              if (each >= Character.MIN_SURROGATE && each <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException("an input must not have unpaired surrogates");
              }
              int known = each == '/' ? -1 : ESCAPED.indexOf(each);
              if (known >= 0) {
                out.append('\\').append(ESCAPES.charAt(known));
              } else if (each < ' ') {
                out.append(each < 16 ? "\\u000" : "\\u00").append(Integer.toHexString(each));
              } else {
                out.appendCodePoint(each);
              }
            });
    out.append('"');
  }

  private void number(String text) {
    double number = Double.parseDouble(text);
    if (Double.isInfinite(number)) {
      throw new IllegalArgumentException("an input must have finite numbers (was " + text + ")");
    }
    if (number != Math.rint(number)) {
      out.append(shortest(number));
    } else if (Math.abs(number) > LARGEST_INTEGER) {
      throw new IllegalArgumentException(
          "integers beyond 2^53 - 1 differ between languages; send " + text + " as a text");
    } else {
      out.append((long) number);
    }
  }

  /** Returns what ECMAScript writes of a fraction; {@link Double#toString} is longer before 19. */
  private static String shortest(double number) {
    BigDecimal exact = new BigDecimal(number);
    for (int digits = 1; ; digits++) {
      // below a power of two the doubles are denser, so only the farther neighbor may be read back
      for (RoundingMode mode : new RoundingMode[] {RoundingMode.HALF_EVEN, RoundingMode.UP}) {
        BigDecimal rounded = exact.round(new MathContext(digits, mode));
        if (rounded.doubleValue() == number || digits == MAX_DIGITS) {
          return ecmaScript(rounded);
        }
      }
    }
  }

  private static String ecmaScript(BigDecimal number) {
    int exponent = number.precision() - number.scale() - 1;
    if (exponent > -7) {
      return number.toPlainString();
    }
    StringBuilder text = new StringBuilder(number.unscaledValue().toString());
    int firstDigit = number.signum() < 0 ? 1 : 0;
    if (number.precision() > 1) {
      text.insert(firstDigit + 1, '.');
    }
    return text.append('e').append(exponent).toString();
  }
}
