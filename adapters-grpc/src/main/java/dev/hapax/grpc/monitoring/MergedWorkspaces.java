package dev.hapax.grpc.monitoring;

import dev.hapax.application.monitoring.StuckWorkspaces.Stuck;
import dev.hapax.domain.cell.CellName;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ListWorkspacesResponse;
import dev.hapax.v1.WorkspaceState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Merges what the cells have of a page of workspaces.
 *
 * @param cells those that are usable
 * @param cellOf the cell of a workspace; empty = there is one cell
 * @param moves the cells to which workspaces move
 */
record MergedWorkspaces(
    List<CellWorkspaces> cells,
    Function<String, Optional<String>> cellOf,
    Map<String, CellName> moves) {

  /** Fills the page, where each cell has one workspace more than the page if it has so many. */
  ListWorkspacesResponse fill(int size) {
    var read =
        cells.stream()
            .filter(CellWorkspaces::isRead)
            .map(CellWorkspaces::cell)
            .collect(Collectors.toSet());
    var states = new TreeMap<String, WorkspaceState>();
    for (var cell : cells) {
      for (var found : cell.found()) {
        var name = found.workspace();
        var own = cellOf.apply(name).orElse("");
        if (own.equals(cell.cell())) {
          states.put(name, counted(found));
        } else {
          // its own cell has no record of it, or is not usable
          states.putIfAbsent(name, empty(name, own).setCounted(read.contains(own)).build());
        }
      }
    }
    var shown = states.values().stream().limit(size).toList();
    var response = ListWorkspacesResponse.newBuilder().addAllWorkspaces(shown);
    // a cell that has more has returned one more, so what it did not return is behind the page
    if (states.size() > size) {
      response.setNextPageToken(PageTokens.token(shown.getLast().getWorkspace()));
    }
    return response.build();
  }

  private WorkspaceState.Builder empty(String name, String cell) {
    var state = WorkspaceState.newBuilder().setWorkspace(name).setCell(cell);
    Optional.ofNullable(moves.get(name)).ifPresent(target -> state.setMovingTo(target.text()));
    return state;
  }

  private WorkspaceState counted(Stuck found) {
    var counts = found.counts();
    return empty(found.workspace(), cellOf.apply(found.workspace()).orElse(""))
        .setCounted(true)
        .setFailedRuns(counts.failedRuns())
        .setOperationsInDoubt(counts.operationsInDoubt())
        .setStepsInDoubt(counts.stepsInDoubt())
        .setOperationsAbandoned(counts.operationsAbandoned())
        .setEntitiesAbandoned(counts.entitiesAbandoned())
        .setQueuesWithoutWorkers(found.queuesWithoutWorkers())
        .setJanitorsOverdue(found.janitorsOverdue())
        .build();
  }
}
