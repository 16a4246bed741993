package dev.hapax.domain.security;

import dev.hapax.domain.Digest;
import dev.hapax.domain.InvalidValueException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The SHA-256 of a secret. A random secret of 256 bits needs no slow hash, which would let callers
 * exhaust the server.
 */
public record SecretHash(String hex) {
  private static final int HEX_LENGTH = 64;

  public SecretHash {
    if (hex.length() != HEX_LENGTH) {
      throw new InvalidValueException("must be 64 hexadecimal digits");
    }
  }

  static SecretHash of(String secret) {
    var hash = Digest.allBytes(secret.getBytes(StandardCharsets.US_ASCII));
    return new SecretHash(HexFormat.of().formatHex(hash));
  }

  /** Compares in a time that does not depend on the values. */
  boolean matches(SecretHash other) {
    return MessageDigest.isEqual(
        hex.getBytes(StandardCharsets.US_ASCII), other.hex.getBytes(StandardCharsets.US_ASCII));
  }
}
