package dev.hapax.domain.operation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Condenses keys to ids with a secret of the installation (HMAC-SHA-256, 128 bits of it), so that
 * an id cannot be made up from a key somebody guessed; and seals what is handed out.
 */
public final class KeyedIds {
  /** The length of a seal. */
  public static final int SEAL_BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private final Mac prototype;

  public KeyedIds(byte[] secret) {
    try {
      prototype = Mac.getInstance(ALGORITHM);
      prototype.init(new SecretKeySpec(secret, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
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

  /** What nobody else can make of these bytes; whoever has both was given them. */
  public byte[] seal(byte[] content) {
    var mac = copy();
    // no id begins so
    mac.update((byte) 2);
    return Arrays.copyOf(mac.doFinal(content), SEAL_BYTES);
  }

  private Mac copy() {
    try {
      return (Mac) prototype.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(ALGORITHM + " can be cloned", e);
    }
  }

  /** The length goes first: two different lists of parts never become the same bytes. */
  private static void update(Mac mac, String part) {
    var bytes = part.getBytes(StandardCharsets.UTF_8);
    mac.update((byte) (bytes.length >>> 8));
    mac.update((byte) bytes.length);
    mac.update(bytes);
  }
}
