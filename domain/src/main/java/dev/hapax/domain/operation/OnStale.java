package dev.hapax.domain.operation;

/** What becomes of an operation whose holder let the lease end. */
public enum OnStale {
  /** The next Begin acquires it. */
  TAKE_OVER,
  /** It is held for a person, or for the holder itself. */
  HOLD
}
