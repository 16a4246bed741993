package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import com.google.rpc.Code;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Permission;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.Errors;
import dev.hapax.v1.ErrorReason;
import io.grpc.StatusRuntimeException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The access of an authenticated caller. */
record AuthorizedCall(MethodRules rules, Authenticated caller) implements CallAccess {

  @Override
  public void require(Message request) {
    var denied =
        rules
            .of(request)
            .map(rule -> rule.denies(caller.principal(), request).map(this::denied))
            .orElseGet(() -> Optional.of(denied("no role", "")));
    if (denied.isPresent()) {
      throw denied.get();
    }
  }

  private StatusRuntimeException denied(MethodRule.Denial denial) {
    return denied(name(denial.permission()), denial.workspace());
  }

  /** The error for a method that no grant of the caller permits in any workspace. */
  StatusRuntimeException denied(Optional<Permission> permission) {
    return denied(permission.map(AuthorizedCall::name).orElse("no role"), "");
  }

  private static String name(Permission permission) {
    return permission.name().toLowerCase(Locale.ROOT);
  }

  private StatusRuntimeException denied(String permission, String workspace) {
    var principal = caller.principal().toString();
    return Errors.error(
        Code.PERMISSION_DENIED,
        ErrorReason.ERROR_REASON_PERMISSION_DENIED,
        "%s has no grant for this call%s; it needs the permission %s"
            .formatted(
                Errors.cut(principal),
                workspace.isEmpty() ? "" : " in workspace " + Errors.cut(workspace),
                permission),
        Map.of(
            "principal",
            Errors.cut(principal),
            "permission",
            permission,
            "workspace",
            Errors.cut(workspace)));
  }
}
