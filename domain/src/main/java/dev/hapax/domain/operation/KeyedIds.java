package dev.hapax.domain.operation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Derives operation ids from keys, and signs claims, with a secret of the installation
 * (HMAC-SHA-256, truncated to 128 bits). An id cannot be derived from a guessed key.
 */
public final class KeyedIds {
  /** The length of a signature. */
  public static final int SIGNATURE_BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private final Mac prototype;

  public KeyedIds(byte[] secret) {
    try {
      prototype = Mac.getInstance(ALGORITHM);
      prototype.init(new SecretKeySpec(secret, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is not available", e);
    }
  }

  public OperationId of(OperationKey key) {
    var mac = copy();
    mac.update((byte) (key.accountChanging() ? 1 : 0));
    update(mac, key.workspace().name());
    update(mac, key.operation());
    update(mac, key.requestId());
    update(mac, key.accountChanging() ? "" : key.account());
    var digest = ByteBuffer.wrap(mac.doFinal());
    return new OperationId(key.workspace(), new UUID(digest.getLong(), digest.getLong()));
  }

  /** Signs the bytes, so that only this installation can issue them. */
  public byte[] sign(byte[] content) {
    var mac = copy();
    // separates signatures from ids, which begin with 0 or 1
    mac.update((byte) 2);
    return Arrays.copyOf(mac.doFinal(content), SIGNATURE_BYTES);
  }

  private Mac copy() {
    try {
      return (Mac) prototype.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(ALGORITHM + " cannot be cloned", e);
    }
  }

  /** The length prefix keeps two different lists of parts from producing the same bytes. */
  private static void update(Mac mac, String part) {
    var bytes = part.getBytes(StandardCharsets.UTF_8);
    mac.update((byte) (bytes.length >>> 8));
    mac.update((byte) bytes.length);
    mac.update(bytes);
  }
}
