package dev.hapax.domain.entity;

/** The kind of an action's failure. The entity reverts in each case. */
public enum ActionFailureKind {
  /** The action reported a failure. */
  FAILURE,
  /** The action rejected its input as invalid. */
  INVALID,
  /** The action threw an exception. */
  EXCEPTION
}
