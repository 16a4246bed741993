package dev.hapax.domain;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** Hashes a value to 128 bits of its SHA-256, for comparison only. */
public final class Digest {
  private Digest() {}

  public static UUID sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  public static UUID sha256(byte[] bytes) {
    try {
      var digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes));
      return new UUID(digest.getLong(), digest.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is not available", e);
    }
  }
}
