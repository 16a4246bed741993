package dev.hapax.console.view;

import dev.hapax.v1.Principal;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.RoleGrant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The permissions of a visitor, as the server returned them for this request. */
public record Access(Principal principal) {
  /** A visitor without credentials, where the server asks for them. */
  public static final Access NONE = new Access(Principal.getDefaultInstance());

  private static final String ALL = "*";
  private static final String KIND = "PRINCIPAL_KIND_";
  private static final String ROLE = "ROLE_";

  public boolean isNone() {
    return principal.getKind() == PrincipalKind.PRINCIPAL_KIND_UNSPECIFIED;
  }

  /** Whether the server does not authenticate its callers. */
  public boolean isLocal() {
    return principal.getKind() == PrincipalKind.PRINCIPAL_KIND_LOCAL;
  }

  /** Whether the visitor may do this in a workspace. */
  public boolean may(ConsolePermission permission, String workspace) {
    return isLocal()
        || principal.getGrantsList().stream()
            .anyMatch(
                grant ->
                    permission.isOf(grant.getRole()) && isWhole(grant) && covers(grant, workspace));
  }

  /** A grant for some queues or definitions permits no change of other objects. */
  private static boolean isWhole(RoleGrant grant) {
    return isAll(grant.getQueuesList()) && isAll(grant.getDefinitionsList());
  }

  private static boolean covers(RoleGrant grant, String workspace) {
    return isAll(grant.getWorkspacesList()) || grant.getWorkspacesList().contains(workspace);
  }

  private static boolean isAll(List<String> names) {
    return names.isEmpty() || names.contains(ALL);
  }

  /** The workspaces that the grants name, in order; all = none is named. */
  public List<String> workspaces() {
    return principal.getGrantsList().stream()
        .flatMap(grant -> grant.getWorkspacesList().stream())
        .filter(name -> !name.equals(ALL))
        .distinct()
        .sorted()
        .toList();
  }

  /** The visitor as histories name it, such as {@code api-key:billing}. */
  public String name() {
    return isLocal()
        ? "local"
        : word(principal.getKind().name(), KIND).replace('_', '-') + ":" + principal.getName();
  }

  /** The roles in a workspace, for people. */
  public String roles(String workspace) {
    return isLocal()
        ? "no authentication"
        : principal.getGrantsList().stream()
            .filter(grant -> covers(grant, workspace))
            .map(grant -> word(grant.getRole().name(), ROLE))
            .distinct()
            .collect(Collectors.joining(", "));
  }

  private static String word(String name, String prefix) {
    return name.replace(prefix, "").toLowerCase(Locale.ROOT);
  }
}
