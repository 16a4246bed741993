package dev.hapax.domain.cell;

/** What a move of a workspace does; it is stored before it begins. */
public enum MoveStep {
  /** The target receives rows, which the source goes on to write. */
  COPYING,
  /** The workspace is not written, so that the target gets the last rows. */
  PAUSING,
  /** The target has all rows, and is made ready. */
  COMPLETE,
  /** The target serves the workspace, and the rows of the source are removed. */
  SWITCHED;

  /** Whether the source still serves the workspace if the move is cancelled now. */
  public boolean isCancellable() {
    return this != SWITCHED;
  }
}
