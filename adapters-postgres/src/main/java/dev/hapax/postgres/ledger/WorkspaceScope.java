package dev.hapax.postgres.ledger;

import dev.hapax.domain.Workspace;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The workspaces whose rows a session may read and write, as row-level security enforces it. */
public record WorkspaceScope(String names) {
  private static final String OF_SESSION = "SELECT set_config('hapax.scope', ?, false)";

  /** A comma is in no name of a workspace. */
  private static final String SEPARATOR = ",";

  /** No workspace. */
  static final WorkspaceScope NONE = new WorkspaceScope("");

  public static WorkspaceScope of(Workspace workspace) {
    return new WorkspaceScope(workspace.name());
  }

  public static WorkspaceScope of(Collection<Workspace> workspaces) {
    return of(workspaces.stream());
  }

  static WorkspaceScope of(Stream<Workspace> workspaces) {
    return new WorkspaceScope(
        workspaces.map(Workspace::name).distinct().sorted().collect(Collectors.joining(SEPARATOR)));
  }

  /** Adds the statement that sets the scope until the session gets another one. */
  public void setForSession(Pipeline pipeline) {
    pipeline.query(OF_SESSION, List.of(names), _ -> {});
  }
}
