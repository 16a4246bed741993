package dev.hapax.console.login;

import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ListWorkspacesRequest;

/**
 * Leads to the overview of the workspace that a form names or, without a name, to that of the
 * visitor, or to the list if there are several.
 */
public final class WorkspacePage implements ConsolePage {
  @Override
  public Reply show(Visit visit) {
    var named = visit.query().optional("workspace");
    if (named.isPresent()) {
      return new Reply.SeeOther(Section.OVERVIEW.href(named.get()));
    }
    var found =
        visit
            .api()
            .monitoring()
            .listWorkspaces(ListWorkspacesRequest.newBuilder().setPageSize(2).build());
    var names = found.getWorkspacesList();
    if (names.size() > 1 || !found.getNextPageToken().isEmpty()) {
      return new Reply.SeeOther(Section.WORKSPACES.href(visit.workspace()));
    }
    return new Reply.SeeOther(
        Section.OVERVIEW.href(
            names.isEmpty() ? visit.workspace() : names.getFirst().getWorkspace()));
  }
}
