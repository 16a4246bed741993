package dev.hapax.grpc.cell;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.StoppableCall;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open calls by their workspaces. When one moves to another cell, its calls end: those that
 * wait would wait for nothing.
 */
final class MovableCalls {
  private final Map<String, Set<StoppableCall<?, ?>>> calls = new ConcurrentHashMap<>();

  void add(String workspace, StoppableCall<?, ?> call) {
    calls.compute(
        workspace,
        (_, open) -> {
          var all = open == null ? ConcurrentHashMap.<StoppableCall<?, ?>>newKeySet() : open;
          all.add(call);
          return all;
        });
  }

  void remove(String workspace, StoppableCall<?, ?> call) {
    calls.computeIfPresent(
        workspace,
        (_, open) -> {
          open.remove(call);
          return open.isEmpty() ? null : open;
        });
  }

  /** Clients send the calls again, to the cell that the workspace has now. */
  void end(String workspace) {
    var moved = GrpcErrors.of(new LedgerException.Moved(workspace));
    calls.getOrDefault(workspace, Set.of()).forEach(call -> call.stop(moved));
  }
}
