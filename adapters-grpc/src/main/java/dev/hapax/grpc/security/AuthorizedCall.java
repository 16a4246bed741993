package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import com.google.rpc.Code;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Permission;
import dev.hapax.domain.security.Target;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.CallMeter;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.OpenPlace;
import dev.hapax.v1.ErrorReason;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The access of one call: what its caller may do, within the limits. */
final class AuthorizedCall implements CallAccess {
  private final Authenticated caller;
  private final CallMeter meter;
  private volatile List<String> workspaces = List.of();

  AuthorizedCall(Authenticated caller, CallMeter meter) {
    this.caller = caller;
    this.meter = meter;
  }

  @Override
  public Authenticated caller() {
    return caller;
  }

  /**
   * Requires the right to call a method at all. Of an authenticated caller, the request decides if
   * it names a workspace, so that the error can name it, too.
   *
   * @throws StatusRuntimeException PERMISSION_DENIED or RATE_LIMITED
   */
  void begin(MethodDescriptor<?, ?> method) {
    meter.begin(caller.principal());
    var rule = MethodRules.of(method);
    var isDecidedLater =
        rule.filter(MethodRule::hasScope).isPresent()
            && !caller.equals(CallAuthentication.ANONYMOUS);
    if (!isDecidedLater && (rule.isEmpty() || !rule.get().admits(caller.principal()))) {
      throw denied(rule.flatMap(MethodRule::permission));
    }
  }

  @Override
  public OpenPlace require(Message request) {
    var rule = MethodRules.of(request).orElseThrow(() -> denied("no role", ""));
    var scope = rule.scope().apply(request);
    workspaces = scope.workspaces();
    if (!workspaces.isEmpty()) {
      meter.countForPrincipal(request);
    }
    rule.denies(caller.principal(), scope)
        .ifPresent(
            denial -> {
              throw denied(denial);
            });
    meter.countForWorkspaces(request, scope.workspaces());
    return meter.open(request, scope.workspaces());
  }

  @Override
  public boolean isNarrowedToQueues(Workspace workspace) {
    return !caller.principal().may(Permission.WORK, workspace.name(), new Target.Anything());
  }

  @Override
  public void requireQueue(Workspace workspace, String queue) {
    if (!caller.principal().may(Permission.WORK, workspace.name(), new Target.Queue(queue))) {
      throw denied(name(Permission.WORK), workspace.name());
    }
  }

  /** The names of the workspaces of the last request, which may be invalid; empty before it. */
  List<String> workspaces() {
    return workspaces;
  }

  private StatusRuntimeException denied(MethodRule.Denial denial) {
    return caller.equals(CallAuthentication.ANONYMOUS)
        ? CallAuthentication.unauthenticated(Reason.MISSING)
        : denied(name(denial.permission()), denial.workspace());
  }

  /** The error for a method that no grant of the caller permits in any workspace. */
  private StatusRuntimeException denied(Optional<Permission> permission) {
    return denied(permission.map(AuthorizedCall::name).orElse("no role"), "");
  }

  private static String name(Permission permission) {
    return permission.name().toLowerCase(Locale.ROOT);
  }

  private StatusRuntimeException denied(String permission, String workspace) {
    var principal = caller.principal().toString();
    return GrpcErrors.error(
        Code.PERMISSION_DENIED,
        ErrorReason.ERROR_REASON_PERMISSION_DENIED,
        "%s has no grant for this call%s; it needs the permission %s"
            .formatted(
                GrpcErrors.cut(principal),
                workspace.isEmpty() ? "" : " in workspace " + GrpcErrors.cut(workspace),
                permission),
        Map.of(
            "principal",
            GrpcErrors.cut(principal),
            "permission",
            permission,
            "workspace",
            GrpcErrors.cut(workspace)));
  }
}
