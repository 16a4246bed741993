package dev.hapax.domain;

import java.util.UUID;

/** Stands for a token where the token itself must not be seen. */
public record HookFingerprint(String text) {
  private static final int DIGITS = 16;

  public HookFingerprint {
    if (text.length() != DIGITS || !text.chars().allMatch(HookFingerprint::isDigit)) {
      // not repeated: it may be the token itself
      throw new InvalidValueException(
          "must be the fingerprint of a Hook: 16 digits of 0-9 and a-f");
    }
  }

  /** Of a token that is condensed to this. */
  public static HookFingerprint of(UUID hash) {
    return new HookFingerprint("%016x".formatted(hash.getMostSignificantBits()));
  }

  private static boolean isDigit(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  }
}
