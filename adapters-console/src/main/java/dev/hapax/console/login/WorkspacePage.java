package dev.hapax.console.login;

import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ListWorkspacesRequest;
import dev.hapax.v1.ListWorkspacesResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

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
    return new Reply.SeeOther(entry(visit));
  }

  private static String entry(Visit visit) {
    var found = several(visit);
    var names = found.getWorkspacesList();
    if (names.size() > 1 || !found.getNextPageToken().isEmpty()) {
      return Section.WORKSPACES.href(visit.workspace());
    }
    return Section.OVERVIEW.href(
        names.isEmpty() ? visit.workspace() : names.getFirst().getWorkspace());
  }

  /** Empty for a visitor who may observe none: the overview says so. */
  private static ListWorkspacesResponse several(Visit visit) {
    try {
      return visit
          .api()
          .monitoring()
          .listWorkspaces(ListWorkspacesRequest.newBuilder().setPageSize(2).build());
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.PERMISSION_DENIED) {
        return ListWorkspacesResponse.getDefaultInstance();
      }
      throw e;
    }
  }
}
