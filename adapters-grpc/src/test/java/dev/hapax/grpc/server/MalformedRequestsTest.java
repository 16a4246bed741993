package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.grpc.call.Refusal;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests of gRPC's own services that are no messages. */
@Tag("A8")
class MalformedRequestsTest {
  private static final Logger GRPC = Logger.getLogger("io.grpc");
  private static final byte[] MALFORMED = {(byte) 0xff};

  private final Queue<String> logged = new ConcurrentLinkedQueue<>();
  private final Handler log =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private final HapaxServer server =
      new HapaxServer(
          new GrpcServerConfig(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), true, Duration.ZERO),
          Set.of(),
          Optional.empty(),
          Optional.empty());
  private Optional<ManagedChannel> channel = Optional.empty();

  @BeforeEach
  void start() throws IOException {
    GRPC.addHandler(log);
    channel =
        Optional.of(
            ManagedChannelBuilder.forAddress("127.0.0.1", server.start()).usePlaintext().build());
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.orElseThrow().shutdownNow();
    server.stop();
    GRPC.removeHandler(log);
  }

  /** Sends bytes as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class Answer implements StreamObserver<byte[]> {
    final CompletableFuture<StatusRuntimeException> failed = new CompletableFuture<>();

    @Override
    public void onNext(byte[] message) {}

    @Override
    public void onError(Throwable failure) {
      failed.complete((StatusRuntimeException) failure);
    }

    @Override
    public void onCompleted() {
      failed.completeExceptionally(new AssertionError("the request was accepted"));
    }
  }

  @Test
  @DisplayName("given a malformed request of gRPC's own services, then its caller gets the error")
  void malformed() throws Exception {
    for (var method :
        List.<MethodDescriptor<?, ?>>of(
            HealthGrpc.getCheckMethod(),
            HealthGrpc.getWatchMethod(),
            ServerReflectionGrpc.getServerReflectionInfoMethod())) {
      var bytes = method.toBuilder(new Bytes(), new Bytes()).setType(MethodType.BIDI_STREAMING);
      var answer = new Answer();
      var requests =
          ClientCalls.asyncBidiStreamingCall(
              channel.orElseThrow().newCall(bytes.build(), CallOptions.DEFAULT), answer);
      requests.onNext(MALFORMED);
      requests.onCompleted();
      var refusal = Refusal.of(answer.failed.get(1, TimeUnit.MINUTES));
      assertThat(refusal.code()).as(method.getFullMethodName()).isEqualTo(Code.INVALID_ARGUMENT);
      assertThat(refusal.reason()).isEqualTo("UNREADABLE_MESSAGE");
    }
    assertThat(logged).isEmpty();
  }
}
