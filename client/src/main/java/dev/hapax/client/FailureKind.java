package dev.hapax.client;

/** What a failure says about the work, and so what a duplicate is told. */
public enum FailureKind {
  /** Nothing happened: the key is free, the next call with it runs the work. */
  RETRYABLE(dev.hapax.v1.FailureKind.FAILURE_KIND_RETRYABLE),
  /** It failed for good: every duplicate gets this failure. */
  FINAL(dev.hapax.v1.FailureKind.FAILURE_KIND_FINAL),
  /** Nobody knows whether the effect happened: duplicates are turned away until it is resolved. */
  UNKNOWN_EFFECT(dev.hapax.v1.FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);

  private final dev.hapax.v1.FailureKind wire;

  FailureKind(dev.hapax.v1.FailureKind wire) {
    this.wire = wire;
  }

  dev.hapax.v1.FailureKind wire() {
    return wire;
  }
}
