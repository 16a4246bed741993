package dev.hapax.testkit.simulation.turn;

/** What happens in a model besides starts, ends, cancels, hints and scans; how often, if not 0. */
enum Extra {
  /** A failed run is retried by RetryRun. */
  REOPENS,

  // of lines
  /** An attempt at a step fails, and the run retries the step after a pause. */
  RETRIES,
  /** A run is paused, and resumed. */
  PAUSES,
  /** A limit is lowered by 1, then raised again. */
  LIMIT_CHANGES,
  /** The clock may stand still, so that turns in different lines are equal. */
  EQUAL_TURNS,

  // of marks
  /** An owner creates a hook. */
  CREATED_HOOKS,
  /** A hook is disposed of. */
  DISPOSED_HOOKS,
  /** Ended owners keep their tokens for a time. */
  RETENTION,
  /** Ended runs are purged. */
  PURGES,
  /**
   * SUPERSEDE cancels the first waiting run of a token without an owner. Otherwise that run waits
   * behind the new owner.
   */
  SUPERSEDED_WAITING
}
