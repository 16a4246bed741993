package dev.hapax.domain.entity;

/** What a module found when it looked whether the work of a lost claim was done. */
public enum RecoveryVerdict {
  /** It was: the entity goes where success leads. */
  COMPLETE,
  /** It was not: the entity goes back. */
  REVERT
}
