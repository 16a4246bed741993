package dev.hapax.client;

/** What a failure says about the work, and so what a duplicate is told. */
public enum FailureKind {
  /** Nothing happened: the key is free, the next call with it runs the work. */
  RETRYABLE,
  /** It failed for good: every duplicate gets this failure. */
  FINAL,
  /** Nobody knows whether the effect happened: duplicates are turned away until it is resolved. */
  UNKNOWN_EFFECT
}
