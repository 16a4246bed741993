package dev.hapax.grpc.call;

import com.google.protobuf.Message;
import dev.hapax.testkit.PackageClasses;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import java.util.Objects;
import java.util.stream.Stream;

/** The methods of the API, as their stubs describe them. */
public final class ApiMethods {
  private ApiMethods() {}

  public static Stream<MethodDescriptor<?, ?>> all() {
    return PackageClasses.beside(RunServiceGrpc.class, "ServiceGrpc").stream()
        .map(ApiMethods::service)
        .map(ServiceDescriptor::getMethods)
        .flatMap(methods -> methods.stream().<MethodDescriptor<?, ?>>map(method -> method));
  }

  private static ServiceDescriptor service(Class<?> stubs) {
    try {
      return (ServiceDescriptor)
          Objects.requireNonNull(stubs.getMethod("getServiceDescriptor").invoke(null));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("getServiceDescriptor", e);
    }
  }

  /** An empty request of a method. */
  public static Message request(MethodDescriptor<?, ?> method) {
    return message(method.getRequestMarshaller());
  }

  public static Message message(Marshaller<?> marshaller) {
    return (Message)
        Objects.requireNonNull(((PrototypeMarshaller<?>) marshaller).getMessagePrototype());
  }
}
