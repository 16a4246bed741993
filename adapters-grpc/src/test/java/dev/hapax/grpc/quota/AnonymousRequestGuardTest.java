package dev.hapax.grpc.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A8")
class AnonymousRequestGuardTest {
  private final ConnectionRegistry connections =
      new ConnectionRegistry(ConnectionLimits.DEFAULT, false, System::nanoTime);
  private final AnonymousRequestGuard guard =
      new AnonymousRequestGuard(
          connections, HealthGrpc.getCheckMethod().getFullMethodName()::equals);
  private final EmbeddedChannel connection = new EmbeddedChannel();
  private final List<HealthCheckRequest> received = new ArrayList<>();

  @BeforeEach
  void accept() {
    connection.freezeTime();
    new EmbeddedChannel(connections).writeInbound(connection);
  }

  /** A health check of the connection. */
  private final class Check extends ServerCall<HealthCheckRequest, HealthCheckResponse> {
    @Override
    public Attributes getAttributes() {
      return Attributes.newBuilder()
          .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, connection.remoteAddress())
          .build();
    }

    @Override
    public MethodDescriptor<HealthCheckRequest, HealthCheckResponse> getMethodDescriptor() {
      return HealthGrpc.getCheckMethod();
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(HealthCheckResponse message) {}

    @Override
    public void close(Status status, Metadata trailers) {}

    @Override
    public boolean isCancelled() {
      return false;
    }
  }

  /** What reaches the handler of a health check. */
  private final class Received extends ServerCall.Listener<HealthCheckRequest> {
    @Override
    public void onMessage(HealthCheckRequest message) {
      received.add(message);
    }
  }

  private ServerCall.Listener<HealthCheckRequest> begin() {
    return guard.interceptCall(new Check(), new Metadata(), (_, _) -> new Received());
  }

  private boolean isOpenAfter(long seconds) {
    connection.advanceTimeBy(seconds, TimeUnit.SECONDS);
    connection.runScheduledPendingTasks();
    connection.runPendingTasks();
    return connection.isOpen();
  }

  @Test
  @DisplayName("given a health check whose request does not end, then its connection is closed")
  void unfinished() {
    begin().onMessage(HealthCheckRequest.getDefaultInstance());
    assertThat(isOpenAfter(AnonymousRequestGuard.MAX_TIME.toSeconds() - 1)).isTrue();
    assertThat(isOpenAfter(1)).isFalse();
  }

  @Test
  @DisplayName("given a health check whose request is large, then its connection is closed")
  void large() {
    var tooLong = "x".repeat(AnonymousRequestGuard.MAX_BYTES);
    begin().onMessage(HealthCheckRequest.newBuilder().setService(tooLong).build());
    assertThat(isOpenAfter(0)).isFalse();
    assertThat(received).isEmpty();
  }

  @Test
  @DisplayName("given health checks whose requests end, then their connection stays")
  void finished() {
    var complete = begin();
    complete.onMessage(HealthCheckRequest.getDefaultInstance());
    complete.onHalfClose();
    assertThat(received).hasSize(1);
    begin().onCancel();
    begin().onComplete();
    assertThat(isOpenAfter(2 * AnonymousRequestGuard.MAX_TIME.toSeconds())).isTrue();
  }
}
