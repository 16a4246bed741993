package dev.hapax.grpc.monitoring;

import dev.hapax.application.monitoring.StuckWorkspaces.Stuck;
import java.util.List;

/**
 * What one cell has of a page of workspaces.
 *
 * @param cell its name; empty = there is one cell
 * @param isRead whether it answered
 * @param found by name; it may have rows of workspaces that are in another cell
 */
record CellWorkspaces(String cell, boolean isRead, List<Stuck> found) {
  CellWorkspaces {
    found = List.copyOf(found);
  }
}
