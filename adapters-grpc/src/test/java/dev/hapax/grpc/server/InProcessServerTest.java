package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.hapax.grpc.call.GrpcErrors;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.SynchronizationContext;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.services.HealthStatusManager;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class InProcessServerTest {
  private final InProcessServer server =
      new InProcessServer(
          builder -> builder.addService(new HealthStatusManager().getHealthService()));

  @BeforeEach
  void start() throws Exception {
    server.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.stop(5);
  }

  private Channel channel() {
    return server.channel(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), Optional.empty());
  }

  private void check() {
    var _ = HealthGrpc.newBlockingStub(channel()).check(HealthCheckRequest.getDefaultInstance());
  }

  private static Object read(Object owner, Class<?> type, String name) throws Exception {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return Objects.requireNonNull(field.get(owner));
  }

  /** An exception in gRPC's own channel, after which all its calls are INTERNAL. */
  private void breakChannel() throws Exception {
    var wrapper = (ManagedChannel) read(server, InProcessServer.class, "channel");
    var channel =
        read(wrapper, Class.forName("io.grpc.internal.ForwardingManagedChannel"), "delegate");
    var context = (SynchronizationContext) read(channel, channel.getClass(), "syncContext");
    context.execute(
        () -> {
          throw new IllegalStateException("injected");
        });
  }

  @Test
  @DisplayName(
      "given an exception within the channel, then calls are UNAVAILABLE and may be sent again"
          + " [kill-loops-3]")
  void brokenChannel() throws Exception {
    check();
    breakChannel();

    var error = catchThrowableOfType(StatusRuntimeException.class, this::check);
    assertThat(error.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(error.getStatus().getDescription()).endsWith("; send the same request again");
    assertThat(GrpcErrors.reason(GrpcErrors.trailers(error))).contains("UNAVAILABLE");
  }
}
