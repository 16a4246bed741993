package dev.hapax.domain;

import java.util.Locale;
import java.util.UUID;

/** The fingerprint of a request: 128 bits of the SHA-256 of the bytes that the caller sent. */
public record Fingerprint(UUID hash) {
  /** The longest fingerprint a caller may send. */
  public static final int MAX_BYTES = 1024;

  public static Fingerprint of(byte[] sent) {
    if (sent.length > MAX_BYTES) {
      throw new InvalidValueException(
          String.format(
              Locale.ROOT, "has %d bytes; at most %d are allowed", sent.length, MAX_BYTES));
    }
    return new Fingerprint(Digest.sha256(sent));
  }
}
