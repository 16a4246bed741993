package dev.hapax.client.internal;

import dev.hapax.client.Json;
import dev.hapax.client.Value;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Computes the fingerprints of inputs, the same in all client libraries. */
public final class Fingerprints {

  private Fingerprints() {}

  /**
   * Returns SHA-256 of bytes as they are, or of the canonical JSON.
   *
   * @param input {@code byte[]}, a {@link Value}, or anything with a JSON
   * @throws IllegalArgumentException if it has no JSON, or none that is the same in all languages
   */
  public static byte[] of(Object input, Json json) {
    if (input instanceof byte[] bytes) {
      return sha256(bytes);
    }
    if (input instanceof Value.Bytes bytes) {
      return sha256(bytes.content());
    }
    String text = input instanceof Value.Json known ? known.text() : json.write(input);
    return sha256(CanonicalText.of(text).getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
