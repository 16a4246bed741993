package dev.hapax.grpc.security;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import dev.hapax.domain.security.Permission;
import dev.hapax.domain.security.Target;
import dev.hapax.grpc.security.RequestTargets.Scope;
import dev.hapax.v1.RulesProto;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.reflection.v1.ServerReflectionRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds what each method requires of its caller: what its proto declares. A method without a
 * declaration may not be called.
 */
public final class MethodRules {
  /** Probes have no credentials; the health of a janitor tells which workspaces there are. */
  private static final MethodRule HEALTH =
      new MethodRule(
          true,
          Optional.of(Permission.OBSERVE),
          true,
          request ->
              new Scope(
                  JanitorHealthName.workspace(((HealthCheckRequest) request).getService()),
                  List.of(new Target.Anything())));

  private static final MethodRule REFLECTION =
      new MethodRule(
          false,
          Optional.of(Permission.OBSERVE),
          false,
          _ -> new Scope(List.of(), List.of(new Target.Anything())));

  /** The requests of services whose protos are not ours. */
  private static final Map<Descriptor, MethodRule> FOREIGN =
      Map.of(
          HealthCheckRequest.getDescriptor(), HEALTH,
          ServerReflectionRequest.getDescriptor(), REFLECTION);

  private static final Map<Descriptor, Optional<MethodRule>> BY_REQUEST = new ConcurrentHashMap<>();

  private MethodRules() {}

  /** The rule of a method; empty = deny. */
  static Optional<MethodRule> of(io.grpc.MethodDescriptor<?, ?> method) {
    return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier proto
        ? of(proto.getMethodDescriptor().getInputType())
        : Optional.empty();
  }

  /** The rule of the method with this request, which a stream may carry. */
  static Optional<MethodRule> of(Message request) {
    return of(request.getDescriptorForType());
  }

  private static Optional<MethodRule> of(Descriptor request) {
    var foreign = FOREIGN.get(request);
    return foreign != null
        ? Optional.of(foreign)
        : BY_REQUEST.computeIfAbsent(request, MethodRules::declared);
  }

  /** Whether callers without credentials may call this method. */
  public static boolean isPublic(String fullMethodName) {
    return fullMethodName.startsWith(HealthGrpc.SERVICE_NAME + "/");
  }

  /** A request and its method are in one file. */
  private static Optional<MethodRule> declared(Descriptor request) {
    return methods(request.getFile()).stream()
        .filter(method -> method.getInputType().equals(request))
        .findFirst()
        .flatMap(MethodRules::declared);
  }

  private static List<MethodDescriptor> methods(FileDescriptor file) {
    return file.getServices().stream().flatMap(s -> s.getMethods().stream()).toList();
  }

  private static Optional<MethodRule> declared(MethodDescriptor method) {
    var hasScope = RequestTargets.hasAny(method.getInputType());
    return switch (method.getOptions().getExtension(RulesProto.permission)) {
      case PERMISSION_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
      case PERMISSION_AUTHENTICATED ->
          Optional.of(new MethodRule(false, Optional.empty(), hasScope, RequestTargets::of));
      case PERMISSION_OBSERVE -> Optional.of(requiring(Permission.OBSERVE, hasScope));
      case PERMISSION_CALL -> Optional.of(requiring(Permission.CALL, hasScope));
      case PERMISSION_SIGNAL_HOOK -> Optional.of(requiring(Permission.SIGNAL_HOOK, hasScope));
      case PERMISSION_WORK -> Optional.of(requiring(Permission.WORK, hasScope));
      case PERMISSION_OPERATE -> Optional.of(requiring(Permission.OPERATE, hasScope));
      case PERMISSION_DEFINE -> Optional.of(requiring(Permission.DEFINE, hasScope));
    };
  }

  private static MethodRule requiring(Permission permission, boolean hasScope) {
    return new MethodRule(false, Optional.of(permission), hasScope, RequestTargets::of);
  }
}
