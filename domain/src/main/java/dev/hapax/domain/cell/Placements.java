package dev.hapax.domain.cell;

import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The directory of cells, as a server uses it. */
public interface Placements {
  /**
   * The placements that have changed after an epoch, in the order of their changes.
   *
   * @param epoch 0 = all placements
   */
  CompletableFuture<List<Placement>> changedAfter(long epoch);

  /**
   * Stores which map this server uses, until it stops. A move waits for that.
   *
   * @param epoch the last change that the server knows
   * @param usable the cells beside the first one that it can use
   */
  CompletableFuture<Void> report(long epoch, List<CellName> usable);

  /** The moves that have begun and not ended. */
  CompletableFuture<List<WorkspaceMove>> moves();

  /**
   * The cell of a workspace.
   *
   * @param epoch that of the last change; later changes have higher numbers
   */
  record Placement(Workspace workspace, CellName cell, long epoch) {}
}
