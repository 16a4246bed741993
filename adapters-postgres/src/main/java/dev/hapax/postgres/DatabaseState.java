package dev.hapax.postgres;

import java.util.Optional;

/** Whether the database can be used. */
public enum DatabaseState {
  WRITABLE(""),
  /** A standby, or a database whose transactions are read-only by default. */
  READ_ONLY("is read-only"),
  UNREACHABLE("does not answer");

  private final String problem;

  DatabaseState(String problem) {
    this.problem = problem;
  }

  /** The problem with the database, if there is one. */
  public Optional<String> problem() {
    return Optional.of(problem).filter(text -> !text.isEmpty());
  }
}
