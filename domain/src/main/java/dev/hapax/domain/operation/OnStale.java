package dev.hapax.domain.operation;

/** The policy for an operation whose lease expired. */
public enum OnStale {
  /** The next Begin acquires it. */
  TAKE_OVER,
  /** The operation is held for its late holder or an operator. */
  HOLD
}
