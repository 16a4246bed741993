package dev.hapax.domain.cell;

import dev.hapax.domain.Workspace;

/** The move of a workspace from one cell to another. */
public record WorkspaceMove(
    Workspace workspace, CellName source, CellName target, MoveMethod method, MoveStep step) {
  public WorkspaceMove {
    if (source.equals(target)) {
      throw new IllegalArgumentException("a workspace moves to another cell (was " + target + ")");
    }
  }

  public WorkspaceMove at(MoveStep next) {
    return new WorkspaceMove(workspace, source, target, method, next);
  }
}
