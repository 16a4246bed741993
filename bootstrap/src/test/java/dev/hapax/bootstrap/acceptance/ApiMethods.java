package dev.hapax.bootstrap.acceptance;

import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The methods of all services of the API. */
final class ApiMethods {
  private ApiMethods() {}

  static List<MethodDescriptor<?, ?>> all() {
    return Stream.of(
            OperationServiceGrpc.getServiceDescriptor(),
            RunServiceGrpc.getServiceDescriptor(),
            WorkerServiceGrpc.getServiceDescriptor(),
            HookServiceGrpc.getServiceDescriptor(),
            IntentServiceGrpc.getServiceDescriptor(),
            DefinitionServiceGrpc.getServiceDescriptor(),
            LifecycleServiceGrpc.getServiceDescriptor(),
            EntityServiceGrpc.getServiceDescriptor(),
            JanitorServiceGrpc.getServiceDescriptor(),
            MonitoringServiceGrpc.getServiceDescriptor(),
            IdentityServiceGrpc.getServiceDescriptor())
        .map(ServiceDescriptor::getMethods)
        .<MethodDescriptor<?, ?>>flatMap(Collection::stream)
        .toList();
  }
}
