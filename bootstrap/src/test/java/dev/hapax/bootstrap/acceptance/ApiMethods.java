package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.hapax.testkit.PackageClasses;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ClientCalls;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The methods of all services of the API. */
final class ApiMethods {
  private static final int PATIENCE_SECONDS = 60;

  private ApiMethods() {}

  static List<MethodDescriptor<?, ?>> all() {
    return PackageClasses.beside(RunServiceGrpc.class, "ServiceGrpc").stream()
        .map(ApiMethods::descriptor)
        .map(ServiceDescriptor::getMethods)
        .<MethodDescriptor<?, ?>>flatMap(Collection::stream)
        .toList();
  }

  /** Calls the unary method that has such requests. */
  static Message call(Caller caller, Message request) {
    var method =
        all().stream()
            .filter(each -> requests(each).equals(request.getDescriptorForType()))
            .findFirst()
            .orElseThrow();
    return call(caller, method, request);
  }

  private static Descriptor requests(MethodDescriptor<?, ?> method) {
    var marshaller = (PrototypeMarshaller<?>) method.getRequestMarshaller();
    return ((Message) Objects.requireNonNull(marshaller.getMessagePrototype()))
        .getDescriptorForType();
  }

  @SuppressWarnings("unchecked") // the method was found by its requests
  private static <Q> Message call(Caller caller, MethodDescriptor<Q, ?> method, Message request) {
    return (Message)
        ClientCalls.blockingUnaryCall(
            caller.channel(),
            method,
            CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS),
            (Q) request);
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
