package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import java.nio.charset.StandardCharsets;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32;

/**
 * An API key: {@code hpx_<id>_<secret>_<checksum>}. The prefix lets scanners find leaked keys, the
 * checksum lets clients reject a mistyped one, and the id may stand in logs. The format follows
 * GitHub's tokens.
 *
 * @param id 12 characters, public
 * @param secret 43 characters, 256 bits
 */
public record ApiKey(String id, String secret) {
  public static final String PREFIX = "hpx_";

  private static final int ID_LENGTH = 12;
  private static final int SECRET_LENGTH = 43;
  private static final int CHECKSUM_LENGTH = 6;
  private static final int LENGTH =
      PREFIX.length() + ID_LENGTH + 1 + SECRET_LENGTH + 1 + CHECKSUM_LENGTH;
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  public ApiKey {
    requireDigits(id, ID_LENGTH);
    requireDigits(secret, SECRET_LENGTH);
  }

  private static void requireDigits(String text, int length) {
    if (text.length() != length) {
      throw malformed();
    }
    for (var i = 0; i < length; i++) {
      if (!isDigit(text.charAt(i))) {
        throw malformed();
      }
    }
  }

  private static boolean isDigit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  /**
   * Makes a new key.
   *
   * @param random returns an unpredictable number from 0 to below its argument
   */
  public static ApiKey create(IntUnaryOperator random) {
    return new ApiKey(digits(ID_LENGTH, random), digits(SECRET_LENGTH, random));
  }

  private static String digits(int length, IntUnaryOperator random) {
    var text = new StringBuilder(length);
    for (var i = 0; i < length; i++) {
      text.append(DIGITS.charAt(random.applyAsInt(DIGITS.length())));
    }
    return text.toString();
  }

  /** Parses a key; the error never repeats the text. */
  public static ApiKey parse(String text) {
    if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
      throw malformed();
    }
    var secretAt = PREFIX.length() + ID_LENGTH + 1;
    var checksumAt = LENGTH - CHECKSUM_LENGTH;
    var checked = text.substring(0, checksumAt - 1);
    if (text.charAt(secretAt - 1) != '_'
        || text.charAt(checksumAt - 1) != '_'
        || !text.endsWith(checksum(checked))) {
      throw malformed();
    }
    return new ApiKey(
        text.substring(PREFIX.length(), secretAt - 1), text.substring(secretAt, checksumAt - 1));
  }

  /**
   * Returns the id that a text names: the id alone, or a key, whole or cut. The error never repeats
   * the text.
   */
  public static String idIn(String text) {
    var stripped = text.strip();
    var named = stripped.startsWith(PREFIX) ? stripped.substring(PREFIX.length()) : stripped;
    var end = named.indexOf('_');
    var id = end < 0 ? named : named.substring(0, end);
    if (id.length() != ID_LENGTH || !id.chars().allMatch(c -> isDigit((char) c))) {
      throw new InvalidValueException(
          "must be an API key, or its id: the 12 letters and digits behind " + PREFIX);
    }
    return id;
  }

  private static InvalidValueException malformed() {
    return new InvalidValueException("is not an API key, or was mistyped or cut");
  }

  /** Returns the secret text that callers send. */
  public String text() {
    var checked = PREFIX + id + "_" + secret;
    return checked + "_" + checksum(checked);
  }

  private static String checksum(String text) {
    var crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.US_ASCII));
    var digits = new StringBuilder();
    for (var rest = crc.getValue(); digits.length() < CHECKSUM_LENGTH; rest /= DIGITS.length()) {
      digits.append(DIGITS.charAt((int) (rest % DIGITS.length())));
    }
    return digits.reverse().toString();
  }

  public SecretHash secretHash() {
    return SecretHash.of(secret);
  }

  /** Returns the public part only. */
  @Override
  public String toString() {
    return PREFIX + id;
  }
}
