package dev.hapax.client;

/** The meaning of a failure for the key of the work, and for duplicates. */
public enum FailureKind {
  /** No effect happened. The key is free; the next call with it runs the work. */
  RETRYABLE,
  /** The failure is final. Every duplicate gets this failure. */
  FINAL,
  /** The effect may have happened. Duplicates are rejected until an operator resolves the key. */
  UNKNOWN_EFFECT
}
