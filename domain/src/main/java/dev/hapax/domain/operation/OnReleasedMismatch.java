package dev.hapax.domain.operation;

/** The policy for a Begin whose fingerprint differs from that of a released operation. */
public enum OnReleasedMismatch {
  /** Reject it: the key belongs to the original request. */
  KEY_REUSED,
  /** Grant it: the original request had no effect, and this one corrects it. */
  ACCEPT
}
