package dev.hapax.domain.run;

/** The status of a run as callers see it. */
public enum RunStatus {
  /** No step has begun. */
  PENDING,
  /** A worker executes a step, or a step is ready. */
  RUNNING,
  /** The run waits for a time or a signal. */
  WAITING,
  /** An operator paused the run; no step begins. */
  PAUSED,
  COMPLETED,
  FAILED,
  CANCELLED
}
