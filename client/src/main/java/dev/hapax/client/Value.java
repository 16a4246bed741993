package dev.hapax.client;

/** What Hapax stores of a value: JSON or bytes, at most 256 KiB. */
public sealed interface Value {

  /**
   * JSON.
   *
   * @param text such as {@code {"order": 4711}}
   */
  record Json(String text) implements Value {}

  /** Bytes. Not copied. */
  @SuppressWarnings("ArrayRecordComponent") // a copy would cost more than it protects
  record Bytes(byte[] content) implements Value {}
}
