package dev.hapax.testkit.simulation.turn;

/** A rule of lines that no step and no state of a model may break. */
enum Rule {
  /** A token has one owner at most, and no run is admitted above the number of a limit. */
  CAPACITY,
  /** Of two runs in a line, the one that came first starts first. */
  FIFO,
  /** If each run that has not ended waits, then the server can start one of them. */
  STUCK,
  /** The scan finds each run that can start, and starts it. */
  SCAN,
  /** If no hint is lost, then a hint is on its way for each run that can start. */
  HINT
}
