package dev.hapax.domain.entity;

/** How an action came to nothing. The entity goes back in each case. */
public enum ActionFailureKind {
  /** It said so. */
  FAILURE,
  /** What it was asked to do was not valid. */
  INVALID,
  /** It threw. */
  EXCEPTION
}
