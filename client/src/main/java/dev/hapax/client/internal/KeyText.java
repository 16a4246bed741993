package dev.hapax.client.internal;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** The rule for request ids, accounts and operation names. */
public final class KeyText {

  private static final int CHARACTERS = 255;
  private static final int BYTES = 1024;
  private static final Pattern NUMBERED = Pattern.compile(".*#[0-9]+", Pattern.DOTALL);

  private KeyText() {}

  /**
   * Returns the text if it follows the rule.
   *
   * @throws IllegalArgumentException with the name and the problem, never with the text
   */
  public static String check(String name, String text) {
    if (text.codePointCount(0, text.length()) > CHARACTERS) {
      throw new IllegalArgumentException(name + " must have at most 255 characters");
    }
    // protobuf would turn a lone surrogate into '?', and two keys into one
    if (text.codePoints().anyMatch(c -> Character.isISOControl(c) || isSurrogate(c))) {
      throw new IllegalArgumentException(
          name + " must not have control characters or unpaired surrogates");
    }
    if (text.getBytes(StandardCharsets.UTF_8).length > BYTES) {
      throw new IllegalArgumentException(name + " must have at most 1 KiB in UTF-8");
    }
    return text;
  }

  /** As {@link #check}, and not empty. */
  public static String required(String name, String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(name + " must not be empty");
    }
    return check(name, text);
  }

  /**
   * As {@link #required}, for the name of a part, which the client extends by prefix and number.
   */
  public static String part(String name, String text) {
    if (text.contains("/") || NUMBERED.matcher(text).matches()) {
      throw new IllegalArgumentException(
          name + " must not contain `/` or end in `#` and digits (was `" + text + "`)");
    }
    return required(name, text);
  }

  /** As {@link #required}, for the value of a header: languages read other bytes as other texts. */
  public static String header(String name, String text) {
    if (!text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      throw new IllegalArgumentException(
          name + " must have printable ASCII only, the bytes 0x20 to 0x7E");
    }
    return required(name, text);
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
