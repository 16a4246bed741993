package dev.hapax.domain.cell;

import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads in which cells workspaces are placed. */
public interface PlacementReads {
  /**
   * The placements that have changed after an epoch, in the order of their changes.
   *
   * @param epoch 0 = all placements
   */
  CompletableFuture<List<Placement>> changedAfter(long epoch);

  /**
   * The cell of a workspace.
   *
   * @param epoch that of the last change; later changes have higher numbers
   */
  record Placement(Workspace workspace, CellName cell, long epoch) {}
}
