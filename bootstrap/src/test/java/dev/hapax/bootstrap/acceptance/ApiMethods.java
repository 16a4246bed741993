package dev.hapax.bootstrap.acceptance;

import dev.hapax.testkit.PackageClasses;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/** The methods of all services of the API. */
final class ApiMethods {
  private ApiMethods() {}

  static List<MethodDescriptor<?, ?>> all() {
    return PackageClasses.beside(RunServiceGrpc.class, "ServiceGrpc").stream()
        .map(ApiMethods::descriptor)
        .map(ServiceDescriptor::getMethods)
        .<MethodDescriptor<?, ?>>flatMap(Collection::stream)
        .toList();
  }

  private static ServiceDescriptor descriptor(Class<?> stubs) {
    try {
      return (ServiceDescriptor)
          Objects.requireNonNull(stubs.getMethod("getServiceDescriptor").invoke(null));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("getServiceDescriptor", e);
    }
  }
}
