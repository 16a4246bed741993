package dev.hapax.domain;

import java.util.Locale;
import java.util.UUID;

/** Identifies a hook token in places where the secret token must not appear. */
public record HookFingerprint(String text) {
  private static final int DIGITS = 16;

  public HookFingerprint {
    if (text.length() != DIGITS || !text.chars().allMatch(HookFingerprint::isDigit)) {
      // the message omits the value, which may be the token itself
      throw new InvalidValueException(
          "must be the fingerprint of a Hook: 16 digits of 0-9 and a-f");
    }
  }

  /** The fingerprint of the token with this hash. */
  public static HookFingerprint of(UUID hash) {
    return new HookFingerprint(String.format(Locale.ROOT, "%016x", hash.getMostSignificantBits()));
  }

  private static boolean isDigit(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  }
}
