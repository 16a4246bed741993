package dev.hapax.domain;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** Hashes values with SHA-256; a UUID has its first 128 bits, for comparison only. */
public final class Digest {
  private Digest() {}

  public static UUID sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  public static UUID sha256(byte[] bytes) {
    var digest = ByteBuffer.wrap(allBytes(bytes));
    return new UUID(digest.getLong(), digest.getLong());
  }

  /** Returns all 32 bytes of the hash. */
  public static byte[] allBytes(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is not available", e);
    }
  }
}
