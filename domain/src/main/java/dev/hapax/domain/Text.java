package dev.hapax.domain;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The rules for names: keys, ids, tokens, codes. */
public final class Text {
  /** The longest name, in characters (Unicode code points); never more than 1 KiB in UTF-8. */
  public static final int MAX_LENGTH = 255;

  /** The longest short name, in bytes of UTF-8. */
  public static final int MAX_SHORT_BYTES = 255;

  private Text() {}

  /** Returns the text, or throws if it is no name. */
  public static String name(String text) {
    return printable(text, MAX_LENGTH);
  }

  /**
   * Returns the text, or throws if it is too long or has a control character or an unpaired
   * surrogate.
   *
   * @param maxLength in characters; 0 = no limit
   */
  public static String printable(String text, int maxLength) {
    // one pass over the characters, because most texts are short
    var length = 0;
    for (var i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (Character.isISOControl(c)) {
        throw new InvalidValueException(
            String.format(
                Locale.ROOT, "has the control character U+%04X at position %d", (int) c, i));
      }
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          throw new InvalidValueException("has an unpaired surrogate at position " + i);
        }
        i++;
      }
      length++;
    }
    if (maxLength > 0 && length > maxLength) {
      throw new InvalidValueException(
          String.format(
              Locale.ROOT, "has %d characters; at most %d are allowed", length, maxLength));
    }
    return text;
  }

  /** Returns the text, or throws if it has U+0000 or an unpaired surrogate. */
  public static String multiline(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new InvalidValueException("has U+0000");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new InvalidValueException("has an unpaired surrogate");
    }
    return text;
  }

  /** Like {@link #name}, but rejects empty text. */
  public static String requiredName(String text) {
    if (text.isEmpty()) {
      throw new InvalidValueException("is required");
    }
    return name(text);
  }

  /**
   * Like {@link #requiredName}, but limits the bytes, too. An index entry in PostgreSQL holds 2.7
   * KB: two names and two short ones fit, three names do not.
   */
  public static String requiredShortName(String text) {
    var bytes = requiredName(text).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_SHORT_BYTES) {
      throw new InvalidValueException(
          String.format(
              Locale.ROOT, "has %d bytes; at most %d are allowed", bytes, MAX_SHORT_BYTES));
    }
    return text;
  }
}
