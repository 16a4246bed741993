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
public final class SecretHash {
  private static final int HEX_LENGTH = 64;

  private final byte[] hash;

  private SecretHash(byte[] hash) {
    this.hash = hash;
  }

  static SecretHash of(String secret) {
    return new SecretHash(Digest.allBytes(secret.getBytes(StandardCharsets.US_ASCII)));
  }

  /** Parses the form in the database. */
  public static SecretHash parse(String hex) {
    if (hex.length() != HEX_LENGTH) {
      throw new InvalidValueException("must be 64 hexadecimal digits");
    }
    return new SecretHash(HexFormat.of().parseHex(hex));
  }

  /** The form in the database. */
  public String hex() {
    return HexFormat.of().formatHex(hash);
  }

  /** Compares in a time that does not depend on the values. */
  boolean matches(SecretHash other) {
    return MessageDigest.isEqual(hash, other.hash);
  }
}
