package dev.hapax.domain.operation;

/** What becomes of a Begin whose fingerprint differs from that of a released operation. */
public enum OnReleasedMismatch {
  /** It is refused: the key belongs to the request it was begun with. */
  KEY_REUSED,
  /** It acquires: nothing happened under the former request, and this one corrects it. */
  ACCEPT
}
