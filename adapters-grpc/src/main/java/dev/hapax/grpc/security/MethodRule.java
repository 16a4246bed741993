package dev.hapax.grpc.security;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.security.Permission;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.Target;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.v1.Claim;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a method requires of its caller.
 *
 * @param isPublic whether callers without credentials may make requests that act on no workspace
 * @param permission empty = any caller that is authenticated
 * @param scope what a request acts on; empty = nothing in a workspace
 * @param <Q> the requests
 */
record MethodRule<Q>(
    boolean isPublic, Optional<Permission> permission, Optional<Function<Q, Scope>> scope) {
  private static final List<Target> ANYTHING = List.of(new Target.Anything());
  private static final List<Target> HELD_TASK = List.of(new Target.HeldTask());

  /**
   * What a request acts on.
   *
   * @param workspaces their names, which may be invalid
   * @param targets all of them must be permitted
   */
  record Scope(List<String> workspaces, List<Target> targets) {
    static final Scope NOWHERE = new Scope(List.of(), List.of());
  }

  /** A denied request. */
  record Denial(Permission permission, String workspace) {}

  /** A method that every authenticated caller may call. */
  static <Q> MethodRule<Q> open() {
    return new MethodRule<>(false, Optional.empty(), Optional.empty());
  }

  /** A method outside of workspaces, or a stream, whose calls are checked by themselves. */
  static <Q> MethodRule<Q> anywhere(Permission permission) {
    return new MethodRule<>(false, Optional.of(permission), Optional.empty());
  }

  /** A method that everyone may call, but for requests that act on workspaces. */
  static <Q> MethodRule<Q> openOutside(
      Permission permission, Function<Q, List<String>> workspaces) {
    return new MethodRule<>(
        true,
        Optional.of(permission),
        Optional.of(request -> new Scope(workspaces.apply(request), ANYTHING)));
  }

  static <Q> MethodRule<Q> in(Permission permission, Function<Q, String> workspace) {
    return on(permission, workspace, _ -> ANYTHING);
  }

  /** A method whose request names what a grant can be narrowed to. */
  static <Q> MethodRule<Q> on(
      Permission permission, Function<Q, String> workspace, Function<Q, List<Target>> targets) {
    return scoped(
        permission,
        request -> new Scope(List.of(named(workspace.apply(request))), targets.apply(request)));
  }

  /** A method on claims, which name their workspace if the request names none. */
  static <Q> MethodRule<Q> holding(
      Permission permission, Function<Q, String> workspace, Function<Q, List<Claim>> claims) {
    return scoped(
        permission,
        request -> new Scope(named(workspace.apply(request), claims.apply(request)), ANYTHING));
  }

  /** A method on claims of tasks, for which the right to poll their queue was required. */
  static <Q> MethodRule<Q> holdingTasks(
      Function<Q, String> workspace, Function<Q, List<Claim>> claims) {
    return scoped(
        Permission.WORK,
        request -> new Scope(named(workspace.apply(request), claims.apply(request)), HELD_TASK));
  }

  /** The same rule for other targets. */
  MethodRule<Q> targeting(Function<Q, List<Target>> targets) {
    return new MethodRule<>(
        isPublic,
        permission,
        scope.map(
            of -> request -> new Scope(of.apply(request).workspaces(), targets.apply(request))));
  }

  /** The same rule for some requests; the others act on nothing. */
  MethodRule<Q> when(Predicate<Q> some) {
    return new MethodRule<>(
        isPublic,
        permission,
        scope.map(of -> request -> some.test(request) ? of.apply(request) : Scope.NOWHERE));
  }

  private static <Q> MethodRule<Q> scoped(Permission permission, Function<Q, Scope> scope) {
    return new MethodRule<>(false, Optional.of(permission), Optional.of(scope));
  }

  private static String named(String workspace) {
    return workspace.isEmpty() ? Workspace.DEFAULT.name() : workspace;
  }

  private static List<String> named(String workspace, List<Claim> claims) {
    return workspace.isEmpty() && !claims.isEmpty()
        ? claims.stream()
            .map(claim -> ClaimKind.workspaceOf(claim).orElse(Workspace.DEFAULT).name())
            .distinct()
            .toList()
        : List.of(named(workspace));
  }

  /** Whether the principal may call the method at all. */
  boolean admits(Principal principal) {
    return isPublic || permission.isEmpty() || principal.mayAnywhere(permission.get());
  }

  /** Whether its requests act on workspaces. */
  boolean hasScope() {
    return scope.isPresent();
  }

  /** Returns what a request acts on. */
  Scope scopeOf(Q request) {
    return scope.map(of -> of.apply(request)).orElse(Scope.NOWHERE);
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
