package dev.hapax.domain.entity;

/** The verdict about an action whose claim was lost. */
public enum RecoveryVerdict {
  /** The action took effect: the entity gets the status after success. */
  COMPLETE,
  /** The action did not take effect: the entity reverts. */
  REVERT
}
