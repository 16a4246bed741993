package dev.hapax.domain.run;

/** Where a step stands, by name. */
public enum StepStatus {
  PENDING,
  /** Somebody works on it, or is to try again. */
  RUNNING,
  /** For a time or a signal. */
  WAITING,
  COMPLETED,
  /** Its worker found nothing to do. */
  SKIPPED,
  FAILED,
  CANCELLED
}
