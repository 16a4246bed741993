package dev.hapax.grpc.call;

import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.ledger.LedgerException;
import io.grpc.BindableService;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Finds the service of the cell that has a workspace, for calls that carry several ones. */
public interface CellRoute {
  /** The route of a server with one cell. */
  CellRoute ONE_CELL =
      new CellRoute() {
        @Override
        public <S extends BindableService> S of(Message request, S own) {
          return own;
        }

        @Override
        public <S extends BindableService> S of(Workspace workspace, S own) {
          return own;
        }

        @Override
        public Optional<String> cell(String workspace) {
          return Optional.empty();
        }

        @Override
        public CompletableFuture<List<WorkspaceMove>> moves() {
          return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public <S extends BindableService> S first(S own) {
          return own;
        }

        @Override
        public <S extends BindableService> Map<String, S> usable(S own) {
          return Map.of("", own);
        }
      };

  /**
   * Returns the service for a request.
   *
   * @param own the same service of the first cell
   * @throws LedgerException.Unavailable if the cell of its workspace is not usable
   */
  <S extends BindableService> S of(Message request, S own);

  /**
   * Returns the service for a workspace.
   *
   * @param own the same service of the first cell
   * @throws LedgerException.Unavailable if its cell is not usable
   */
  <S extends BindableService> S of(Workspace workspace, S own);

  /** The cell of a workspace; empty = there is one cell. */
  Optional<String> cell(String workspace);

  /** The moves of workspaces that have begun and not ended, as the directory says. */
  CompletableFuture<List<WorkspaceMove>> moves();

  /**
   * Returns the service of the first cell, which has the directory.
   *
   * @param own the same service of any cell
   */
  <S extends BindableService> S first(S own);

  /**
   * Returns the service of each cell that is usable, by the name of the cell; one cell has none.
   *
   * @param own the same service of any cell
   */
  <S extends BindableService> Map<String, S> usable(S own);
}
