package dev.hapax.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/**
 * A digest of a request: duplicates with the same key must carry the same fingerprint.
 *
 * @param bytes at most 1 KiB; empty is a value like any other
 */
public record Fingerprint(ByteString bytes) {

  /** For requests that need no comparison. */
  public static final Fingerprint NONE = new Fingerprint(ByteString.EMPTY);

  private static final int MAX_BYTES = 1024;

  /** Checks the limit. */
  public Fingerprint {
    if (bytes.size() > MAX_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "fingerprint must have at most 1 KiB (was %d bytes); use Fingerprint.of",
              bytes.size()));
    }
  }

  /** SHA-256 of the message, serialized deterministically (maps sorted by key). */
  public static Fingerprint of(MessageLite message) {
    byte[] bytes = new byte[message.getSerializedSize()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      message.writeTo(out);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return of(bytes);
  }

  /** SHA-256 of the bytes, in any size. */
  public static Fingerprint of(byte[] bytes) {
    try {
      return new Fingerprint(
          ByteString.copyFrom(MessageDigest.getInstance("SHA-256").digest(bytes)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
