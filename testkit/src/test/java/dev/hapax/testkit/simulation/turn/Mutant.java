package dev.hapax.testkit.simulation.turn;

/** A fault of the protocol, with the rule that it breaks first. */
enum Mutant {
  /** The protocol as it is. */
  NONE(Rule.FIFO),

  // of lines
  NEWCOMER_IGNORES_LINE(Rule.FIFO),
  /** Each line draws a number of its own, before it is locked. */
  TURN_FOR_EACH_LINE(Rule.STUCK),
  NO_HINT_WHEN_WAITING_RUN_IS_CANCELLED(Rule.HINT),
  /** An admission hints none of the other lines of the admitted run. */
  ONLY_PASSED_LINE_IS_CHECKED(Rule.HINT),
  /** An admission that stops at its bound does not hint its line again. */
  NO_HINT_BEYOND_BOUND(Rule.HINT),
  /** A run that failed in its lines returns to its former place. */
  RETRY_KEEPS_TURN(Rule.SCAN),
  SLOT_KEPT_IN_RETRY_PAUSE(Rule.SCAN),
  /** A paused run returns to its former place. */
  PAUSE_KEEPS_PLACE(Rule.SCAN),
  PAUSE_FREES_HELD_SLOT(Rule.CAPACITY),
  /** A place or slot counts by its turn alone, even if the run needs another line now. */
  TURN_COUNTS_IN_EACH_LINE(Rule.SCAN),

  // of marks
  OWNER_NOT_MARKED(Rule.HINT),
  MARKS_CLEARED_AT_ADMISSION(Rule.HINT),
  SUPERSEDE_WITHOUT_MARK(Rule.HINT),
  RETRY_WITHOUT_MARK(Rule.HINT),
  CREATE_HOOK_WITHOUT_MARK(Rule.HINT),
  WAITING_RUN_CREATES_HOOK(Rule.STUCK),
  DISPOSE_WITHOUT_HINT(Rule.HINT),
  /** A run waits for a token that an ended run retains. */
  RETENTION_DELAYS_QUEUE(Rule.HINT),
  /** The purge of an owner deletes the last turn of its token, although runs wait. */
  PURGE_FORGETS_LINE(Rule.STUCK),
  /** The line of a step takes the place of the marks. */
  STEP_LINE_REPLACES_MARKS(Rule.HINT),
  /** One batch retries and cancels a failed owner: its end is not noticed. */
  NO_HINT_WHEN_RUN_ENDS_AGAIN(Rule.HINT),
  /** One batch fails and retries a waiting run: its leave of the line is not noticed. */
  NO_HINT_WHEN_RUN_WAITS_AGAIN(Rule.HINT);

  final Rule breaks;

  Mutant(Rule breaks) {
    this.breaks = breaks;
  }

  boolean isOfMarks() {
    return compareTo(OWNER_NOT_MARKED) >= 0;
  }
}
