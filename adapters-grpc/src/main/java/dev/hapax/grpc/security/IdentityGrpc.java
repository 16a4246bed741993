package dev.hapax.grpc.security;

import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.Role;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Unary;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.WhoAmIRequest;
import dev.hapax.v1.WhoAmIResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** IdentityService: encodes the caller. */
public final class IdentityGrpc implements IdentityServiceGrpc.AsyncService, BindableService {
  @Override
  public ServerServiceDefinition bindService() {
    return IdentityServiceGrpc.bindService(this);
  }

  @Override
  public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> caller) {
    Unary.respond(
        caller,
        () -> CompletableFuture.completedFuture(CallAccess.current().caller()),
        found -> WhoAmIResponse.newBuilder().setPrincipal(encode(found)).build());
  }

  private static dev.hapax.v1.Principal encode(Authenticated caller) {
    var principal = caller.principal();
    var message =
        dev.hapax.v1.Principal.newBuilder()
            .setName(principal.name())
            .setKind(kind(principal.kind()))
            .setApiKeyId(caller.apiKeyId().orElse(""));
    if (caller.expiresAt().isBefore(Instant.MAX)) {
      message.setExpiresAt(Durations.encode(caller.expiresAt()));
    }
    principal.grants().forEach(grant -> message.addGrants(encode(grant)));
    return message.build();
  }

  private static dev.hapax.v1.RoleGrant encode(RoleGrant grant) {
    return dev.hapax.v1.RoleGrant.newBuilder()
        .setRole(role(grant.role()))
        .addAllWorkspaces(grant.workspaces().inOrder())
        .addAllQueues(grant.queues().inOrder())
        .addAllDefinitions(grant.definitions().inOrder())
        .build();
  }

  private static PrincipalKind kind(Principal.Kind kind) {
    return switch (kind) {
      case LOCAL -> PrincipalKind.PRINCIPAL_KIND_LOCAL;
      case API_KEY -> PrincipalKind.PRINCIPAL_KIND_API_KEY;
      case CERTIFICATE -> PrincipalKind.PRINCIPAL_KIND_CERTIFICATE;
      case TOKEN -> PrincipalKind.PRINCIPAL_KIND_TOKEN;
    };
  }

  private static dev.hapax.v1.Role role(Role role) {
    return switch (role) {
      case VIEWER -> dev.hapax.v1.Role.ROLE_VIEWER;
      case APPLICATION -> dev.hapax.v1.Role.ROLE_APPLICATION;
      case WORKER -> dev.hapax.v1.Role.ROLE_WORKER;
      case OPERATOR -> dev.hapax.v1.Role.ROLE_OPERATOR;
      case DEPLOYER -> dev.hapax.v1.Role.ROLE_DEPLOYER;
      case ADMIN -> dev.hapax.v1.Role.ROLE_ADMIN;
      case WEBHOOK -> dev.hapax.v1.Role.ROLE_WEBHOOK;
    };
  }
}
