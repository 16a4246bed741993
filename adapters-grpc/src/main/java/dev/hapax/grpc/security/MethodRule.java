package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import dev.hapax.domain.security.Permission;
import dev.hapax.domain.security.Principal;
import dev.hapax.grpc.security.RequestTargets.Scope;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a method requires of its caller.
 *
 * @param isPublic whether callers without credentials may make requests that act on no workspace
 * @param permission empty = any caller that is authenticated
 * @param hasScope whether its requests can act on workspaces
 * @param scope what a request acts on
 */
record MethodRule(
    boolean isPublic,
    Optional<Permission> permission,
    boolean hasScope,
    Function<Message, Scope> scope) {

  /** A denied request. */
  record Denial(Permission permission, String workspace) {}

  /** Whether the principal may call the method at all. */
  boolean admits(Principal principal) {
    return isPublic || permission.isEmpty() || principal.mayAnywhere(permission.get());
  }

  /** Returns the first workspace in which the principal may not act. */
  Optional<Denial> denies(Principal principal, Scope on) {
    if (permission.isEmpty()) {
      return Optional.empty();
    }
    var required = permission.get();
    for (var workspace : on.workspaces()) {
      for (var target : on.targets()) {
        if (!principal.may(required, workspace, target)) {
          return Optional.of(new Denial(required, workspace));
        }
      }
    }
    return Optional.empty();
  }
}
