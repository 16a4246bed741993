package dev.hapax.grpc.call;

import com.google.protobuf.Message;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import io.grpc.BindableService;

/** Finds the service of the cell that has a workspace, for calls that a stream carries. */
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
}
