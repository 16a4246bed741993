package dev.hapax.domain.run;

/** The status of a step as callers see it. */
public enum StepStatus {
  PENDING,
  /** A worker executes it, or it is ready to be retried. */
  RUNNING,
  /** The step waits for a time or a signal. */
  WAITING,
  COMPLETED,
  /** The worker found nothing to do. */
  SKIPPED,
  FAILED,
  CANCELLED
}
