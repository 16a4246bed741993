package dev.hapax.client.internal.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.StringValue;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RpcTest {

  private static final Map<Class<?>, ServiceDescriptor> STUBS =
      Map.of(
          DefinitionRpcs.class, DefinitionServiceGrpc.getServiceDescriptor(),
          EntityRpcs.class, EntityServiceGrpc.getServiceDescriptor(),
          HookRpcs.class, HookServiceGrpc.getServiceDescriptor(),
          IntentRpcs.class, IntentServiceGrpc.getServiceDescriptor(),
          JanitorRpcs.class, JanitorServiceGrpc.getServiceDescriptor(),
          LifecycleRpcs.class, LifecycleServiceGrpc.getServiceDescriptor(),
          MonitoringRpcs.class, MonitoringServiceGrpc.getServiceDescriptor(),
          OperationRpcs.class, OperationServiceGrpc.getServiceDescriptor(),
          RunRpcs.class, RunServiceGrpc.getServiceDescriptor(),
          WorkerRpcs.class, WorkerServiceGrpc.getServiceDescriptor());

  private static final MethodDescriptor<?, ?> NONE = MonitoringServiceGrpc.getGetServerInfoMethod();

  @Test
  @DisplayName("given each method of this client, then it is that of the generated stub")
  void stubs() {
    STUBS.forEach(
        (methods, service) -> {
          Map<String, MethodDescriptor<?, ?>> generated =
              service.getMethods().stream()
                  .collect(
                      Collectors.toMap(MethodDescriptor::getFullMethodName, Function.identity()));
          assertThat(methods(methods))
              .isNotEmpty()
              .allSatisfy(
                  method ->
                      assertThat(text(method))
                          .isEqualTo(
                              text(generated.getOrDefault(method.getFullMethodName(), NONE))));
        });
  }

  private static List<MethodDescriptor<?, ?>> methods(Class<?> methods) {
    return Arrays.stream(methods.getFields())
        .<MethodDescriptor<?, ?>>map(
            field -> {
              try {
                return (MethodDescriptor<?, ?>) field.get(null);
              } catch (IllegalAccessException impossible) {
                throw new IllegalStateException(impossible);
              }
            })
        .toList();
  }

  private static List<Object> text(MethodDescriptor<?, ?> method) {
    return List.of(
        method.getFullMethodName(),
        method.getType(),
        method.isSafe(),
        method.isIdempotent(),
        method.isSampledToLocalTracing(),
        prototype(method.getRequestMarshaller()),
        prototype(method.getResponseMarshaller()));
  }

  private static Object prototype(MethodDescriptor.Marshaller<?> marshaller) {
    return Objects.requireNonNull(((PrototypeMarshaller<?>) marshaller).getMessagePrototype())
        .getClass();
  }

  @Test
  @DisplayName("given bytes that are no message, when they are read, then the call is INTERNAL")
  void malformed() {
    var marshaller = new MessageMarshaller<>(StringValue.getDefaultInstance());

    assertThat(marshaller.parse(marshaller.stream(StringValue.of("text"))))
        .isEqualTo(StringValue.of("text"));
    assertThatThrownBy(() -> marshaller.parse(new ByteArrayInputStream(new byte[] {10, 9, 65})))
        .satisfies(
            thrown ->
                assertThat(Status.fromThrowable(thrown).getCode()).isEqualTo(Status.Code.INTERNAL));
  }
}
