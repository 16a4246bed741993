package dev.hapax.console.workspace;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ListWorkspacesRequest;
import dev.hapax.v1.WorkspaceState;
import java.util.List;
import java.util.Locale;

/** Lists the workspaces that the visitor may observe, with what is stuck in each. */
public final class WorkspaceListPage implements ConsolePage {
  private static final int PAGE_SIZE = 100;

  /** The server counts no further. */
  private static final int MOST = 1_000;

  /**
   * A page of workspaces.
   *
   * @param hasCells whether the server has several cells
   */
  public record View(List<Row> workspaces, boolean hasCells, PageLinks pages) {}

  /**
   * A workspace.
   *
   * @param href its overview
   * @param cell with the one to which it moves; empty = there is one cell
   * @param isCounted whether the server can use its cell
   */
  public record Row(
      String name, String href, String cell, boolean isCounted, List<String> counts) {}

  @Override
  public Reply show(Visit visit) {
    var token = visit.query().text(PageLinks.FIELD);
    var page =
        visit
            .api()
            .monitoring()
            .listWorkspaces(
                ListWorkspacesRequest.newBuilder()
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var workspaces = page.getWorkspacesList();
    return Reply.page(
        Section.WORKSPACES,
        "Workspaces",
        "workspace/list.jte",
        new View(
            workspaces.stream().map(WorkspaceListPage::row).toList(),
            workspaces.stream().anyMatch(workspace -> !workspace.getCell().isEmpty()),
            PageLinks.of(
                Address.of(visit.workspace(), "workspaces"), token, page.getNextPageToken())));
  }

  private static Row row(WorkspaceState workspace) {
    return new Row(
        workspace.getWorkspace(),
        Section.OVERVIEW.href(workspace.getWorkspace()),
        workspace.getMovingTo().isEmpty()
            ? workspace.getCell()
            : workspace.getCell() + ", moves to " + workspace.getMovingTo(),
        workspace.getCounted(),
        List.of(
            number(workspace.getFailedRuns()),
            number(workspace.getOperationsInDoubt() + workspace.getStepsInDoubt()),
            number(workspace.getOperationsAbandoned() + workspace.getEntitiesAbandoned()),
            number(workspace.getQueuesWithoutWorkers()),
            number(workspace.getJanitorsOverdue())));
  }

  private static String number(int counted) {
    return String.format(Locale.ROOT, counted < MOST ? "%,d" : "%,d or more", counted);
  }
}
