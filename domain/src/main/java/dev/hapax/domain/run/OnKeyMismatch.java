package dev.hapax.domain.run;

/** The policy of a start whose idempotency key belongs to a run of a different request. */
public enum OnKeyMismatch {
  /** Report the reuse. */
  ERROR,
  /** Return the run of the key. */
  RETURN_EXISTING,
  /** Start a new run under the key, provided the run of the key is FAILED or CANCELLED. */
  RESTART_FAILED
}
