package dev.hapax.grpc.cell;

import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.ledger.LedgerException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The cells of this server. */
public interface Cells {
  /** The services of the first cell, which also answer calls without a workspace. */
  CellServices first();

  /**
   * Returns the services of the cell that has a workspace.
   *
   * @param workspace its name, which may be invalid
   * @throws LedgerException.Unavailable if the cell is not usable; the message names the cell
   */
  CellServices of(String workspace);

  /**
   * Returns the name of the cell that has a workspace.
   *
   * @param workspace its name, which may be invalid
   */
  String name(String workspace);

  /** The services of each cell that is usable now, by the name of the cell. */
  Map<String, CellServices> usable();

  /** The moves of workspaces that have begun and not ended. */
  CompletableFuture<List<WorkspaceMove>> moves();

  /** Receives the name of each workspace that has another cell from now on. */
  void onMove(Consumer<String> listener);
}
