package dev.hapax.domain.security;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Text;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A verified caller and its grants.
 *
 * @param name unique among the principals of its kind
 */
public record Principal(Kind kind, String name, List<RoleGrant> grants) {
  /** Every caller of a server without authentication. */
  public static final Principal LOCAL =
      new Principal(Kind.LOCAL, "local", List.of(RoleGrant.everywhere(Role.ADMIN)));

  /** How a principal proves who it is. */
  public enum Kind {
    /** Not at all: the server does not authenticate. */
    LOCAL("local"),
    API_KEY("api-key"),
    CERTIFICATE("certificate"),
    TOKEN("token");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  public Principal {
    Text.requiredName(name);
    grants = List.copyOf(grants);
  }

  /**
   * Whether one of the grants permits this.
   *
   * @param workspace its name; an invalid one is in no list of a grant
   */
  public boolean may(Permission permission, String workspace, Target target) {
    // no stream: every call of every caller comes here
    for (var grant : grants) {
      if (grant.permits(permission, workspace, target)) {
        return true;
      }
    }
    return false;
  }

  /** Whether one of the grants has the permission in some workspace. */
  public boolean mayAnywhere(Permission permission) {
    return grants.stream().anyMatch(grant -> grant.role().permits(permission));
  }

  /**
   * Returns the workspaces in which the grants permit this without a restriction to queues or
   * definitions; empty = in none.
   */
  public Optional<AllowedNames> workspaces(Permission permission) {
    var allowed =
        grants.stream()
            .filter(grant -> grant.role().permits(permission) && !grant.isNarrowed())
            .map(RoleGrant::workspaces)
            .toList();
    if (allowed.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        allowed.stream().anyMatch(AllowedNames::isAll)
            ? new AllowedNames.All()
            : new AllowedNames.Listed(
                allowed.stream()
                    .flatMap(names -> names.inOrder().stream())
                    .collect(Collectors.toSet())));
  }

  /** Returns the name that events and records keep: none if the principal was not verified. */
  public PrincipalName verifiedName() {
    return kind == Kind.LOCAL ? PrincipalName.NONE : new PrincipalName(toString());
  }

  /** Returns the kind and the name, such as {@code api-key:billing}; without the grants. */
  @Override
  public String toString() {
    return kind == Kind.LOCAL ? kind.toString() : kind + ":" + name;
  }
}
