package dev.hapax.grpc.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.application.monitoring.StuckWorkspaces.Stuck;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.monitoring.BacklogReads.StuckCounts;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ListWorkspacesResponse;
import dev.hapax.v1.WorkspaceState;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MergedWorkspacesTest {
  private static final String FIRST = "default";
  private static final String SECOND = "eu";
  private static final Map<String, CellName> NO_MOVES = Map.of();

  private static Stuck stuck(String name, int failed) {
    return new Stuck(new StuckCounts(new Workspace(name), failed, 1, 2, 3, 4), 5, 6);
  }

  private static CellWorkspaces cell(String cell, Stuck... found) {
    return new CellWorkspaces(cell, true, Arrays.asList(found));
  }

  /** Workspaces whose names begin with s are in the second cell. */
  private static Optional<String> cellOf(String workspace) {
    return Optional.of(workspace.startsWith("s") ? SECOND : FIRST);
  }

  private static String next(ListWorkspacesResponse page) {
    return PageTokens.position(page.getNextPageToken(), LengthPrefixedNames::name).orElse("");
  }

  @Test
  @DisplayName("given one cell, then the page has its workspaces and no names of cells")
  void oneCell() {
    var cells = List.of(cell("", stuck("a", 7), stuck("b", 0), stuck("c", 0)));
    var page = new MergedWorkspaces(cells, _ -> Optional.empty(), NO_MOVES).fill(2);
    assertThat(page.getWorkspacesList())
        .extracting(WorkspaceState::getWorkspace)
        .containsExactly("a", "b");
    assertThat(next(page)).isEqualTo("b");
    assertThat(page.getWorkspaces(0))
        .isEqualTo(
            WorkspaceState.newBuilder()
                .setWorkspace("a")
                .setCounted(true)
                .setFailedRuns(7)
                .setOperationsInDoubt(1)
                .setStepsInDoubt(2)
                .setOperationsAbandoned(3)
                .setEntitiesAbandoned(4)
                .setQueuesWithoutWorkers(5)
                .setJanitorsOverdue(6)
                .build());
    assertThat(next(new MergedWorkspaces(cells, _ -> Optional.empty(), NO_MOVES).fill(3)))
        .isEmpty();
  }

  @Test
  @DisplayName("given rows of a workspace in two cells, then those of its own cell count")
  void leftOver() {
    var cells =
        List.of(
            cell(FIRST, stuck("a", 1), stuck("s1", 2), stuck("s2", 2)),
            cell(SECOND, stuck("a", 3), stuck("s1", 4)));
    var page = new MergedWorkspaces(cells, MergedWorkspacesTest::cellOf, NO_MOVES).fill(10);
    assertThat(page.getWorkspacesList())
        .extracting(
            WorkspaceState::getWorkspace,
            WorkspaceState::getCell,
            WorkspaceState::getCounted,
            WorkspaceState::getFailedRuns)
        .containsExactly(
            tuple("a", FIRST, true, 1), tuple("s1", SECOND, true, 4), tuple("s2", SECOND, true, 0));
    assertThat(next(page)).isEmpty();
  }

  @Test
  @DisplayName("given a cell that is not usable, then its workspaces are listed without numbers")
  void unusable() {
    var cells =
        List.of(
            cell(FIRST, stuck("a", 1), stuck("s1", 2)),
            new CellWorkspaces(SECOND, false, List.of()));
    var page =
        new MergedWorkspaces(cells, MergedWorkspacesTest::cellOf, Map.of("s1", new CellName(FIRST)))
            .fill(10);
    assertThat(page.getWorkspacesList())
        .extracting(
            WorkspaceState::getWorkspace,
            WorkspaceState::getCounted,
            WorkspaceState::getFailedRuns,
            WorkspaceState::getMovingTo)
        .containsExactly(tuple("a", true, 1, ""), tuple("s1", false, 0, FIRST));
  }

  @Test
  @DisplayName("given a cell with more rows, then the page ends where they may begin")
  void ends() {
    var cells =
        List.of(
            cell(FIRST, stuck("s1", 0), stuck("s2", 0), stuck("s3", 0)),
            cell(SECOND, stuck("s1", 1), stuck("s5", 1)));
    var page = new MergedWorkspaces(cells, MergedWorkspacesTest::cellOf, NO_MOVES).fill(2);
    assertThat(page.getWorkspacesList())
        .extracting(WorkspaceState::getWorkspace)
        .containsExactly("s1", "s2");
    assertThat(next(page)).isEqualTo("s2");
    var last =
        new MergedWorkspaces(
                List.of(cell(FIRST, stuck("s3", 0)), cell(SECOND, stuck("s5", 1))),
                MergedWorkspacesTest::cellOf,
                NO_MOVES)
            .fill(2);
    assertThat(last.getWorkspacesList())
        .extracting(WorkspaceState::getWorkspace)
        .containsExactly("s3", "s5");
    assertThat(next(last)).isEmpty();
  }
}
