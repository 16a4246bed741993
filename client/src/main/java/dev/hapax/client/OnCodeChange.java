package dev.hapax.client;

/**
 * What a worker does with a run that older code recorded: its code asks for a new part or wait,
 * before it has asked for all sequential records of earlier executions. So the code has changed
 * there, and an effect could happen twice.
 */
public enum OnCodeChange {
  /**
   * Releases the task with the reason {@code CODE_CHANGED}, for 5 s, then twice as long each time,
   * up to 5 min. A worker with the older code continues the run; without one it stands still until
   * there is one, or until the code fits.
   */
  RELEASE,
  /** The run is FAILED with the code {@code STEP_CHANGED}. */
  FAIL,
  /** Logs a warning once a run, and continues. */
  WARN
}
