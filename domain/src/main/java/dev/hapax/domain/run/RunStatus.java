package dev.hapax.domain.run;

/** Where a run stands, by name. */
public enum RunStatus {
  /** Nothing has begun. */
  PENDING,
  /** A step is worked on, or is to be. */
  RUNNING,
  /** For a time or a signal. */
  WAITING,
  /** By a person; nothing new begins. */
  PAUSED,
  COMPLETED,
  FAILED,
  CANCELLED
}
