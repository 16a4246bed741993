package dev.hapax.domain;

import java.util.Arrays;
import java.util.Locale;

/** Data of a caller, stored byte for byte. */
public sealed interface Payload {
  /** The largest payload, in bytes. */
  int MAX_BYTES = 256 * 1024;

  /** The approximate size in bytes, in memory and on the wire. */
  int size();

  /** JSON text, validated by the API layer. */
  record Json(String text) implements Payload {
    @Override
    public int size() {
      return text.length();
    }
  }

  /** Opaque bytes, never changed after construction. */
  final class Binary implements Payload {
    private final byte[] bytes;

    public Binary(byte[] bytes) {
      this.bytes = bytes;
    }

    /** The bytes themselves, not a copy. */
    public byte[] bytes() {
      return bytes;
    }

    @Override
    public int size() {
      return bytes.length;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Binary binary && Arrays.equals(bytes, binary.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "Binary[%d bytes]", bytes.length);
    }
  }
}
