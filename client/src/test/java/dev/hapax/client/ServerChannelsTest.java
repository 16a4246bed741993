package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.testkit.server.InMemoryHapax;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of several servers on loopback. */
@Timeout(60)
class ServerChannelsTest {

  private static final int STREAMED_CALLS = 250;

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final List<Counted> servers = new ArrayList<>();

  /** A server that counts its calls. */
  private static final class Counted implements ServerInterceptor {
    private final AtomicInteger calls = new AtomicInteger();
    private final Server server;

    Counted(int port, FakeHapax<?> hapax) throws IOException {
      server =
          Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create())
              .intercept(this)
              .addService(hapax.monitoring)
              .build()
              .start();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      calls.incrementAndGet();
      return next.startCall(call, headers);
    }

    void stop() throws InterruptedException {
      server.shutdownNow().awaitTermination();
    }
  }

  @AfterEach
  void close() throws InterruptedException {
    for (Counted server : servers) {
      server.stop();
    }
    hapax.close();
  }

  private Counted serve(int port) throws IOException {
    Counted server = new Counted(port, hapax);
    servers.add(server);
    return server;
  }

  private void awaitAllCalled(Hapax client) {
    servers.forEach(server -> server.calls.set(0));
    Conditions.until(
        () -> {
          client.serverInfo();
          return servers.stream().allMatch(server -> server.calls.get() > 0);
        });
    servers.forEach(server -> server.calls.set(0));
  }

  private static void call(Hapax client) {
    for (int i = 0; i < 20; i++) {
      client.serverInfo();
    }
  }

  @Test
  @DisplayName(
      "given a list of two servers, then calls use them in turn; without one of them, the other"
          + " one, until it returns")
  void list() throws Exception {
    Counted first = serve(0);
    Counted second = serve(0);
    String list =
        servers.stream()
            .map(server -> "127.0.0.1:" + server.server.getPort())
            .collect(Collectors.joining(", "));
    try (Hapax client = Hapax.builder(Map.of()).server(list).connect()) {
      awaitAllCalled(client);
      call(client);
      assertThat(List.of(first.calls.get(), second.calls.get())).containsOnly(10);

      int port = first.server.getPort();
      first.stop();
      servers.remove(first);
      call(client);
      assertThat(second.calls).hasValue(30);

      serve(port);
      awaitAllCalled(client);
    }
  }

  @Test
  @DisplayName("given a list without a server, then a call fails, and names the list")
  void away() {
    Hapax.Builder settings =
        Hapax.builder(Map.of()).server("127.0.0.1:1,127.0.0.1:2").callTimeout(Duration.ofMillis(1));
    try (Hapax client = settings.connect()) {
      assertThatThrownBy(client::serverInfo)
          .isInstanceOf(HapaxException.Unavailable.class)
          .hasMessageStartingWith("Hapax is unreachable at 127.0.0.1:1,127.0.0.1:2;");
    }
  }

  @Test
  @DisplayName("given many calls on a stream, then others open, which may go to another server")
  void streams() {
    AtomicInteger opened = new AtomicInteger();
    ClientInterceptor counting =
        new ClientInterceptor() {
          @Override
          public <Q, R> ClientCall<Q, R> interceptCall(
              MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            opened.addAndGet("OperationStream".equals(method.getBareMethodName()) ? 1 : 0);
            return next.newCall(method, options);
          }
        };
    try (InMemoryHapax server = InMemoryHapax.start();
        Hapax client =
            Hapax.builder()
                .channel(ClientInterceptors.intercept(server.channel(), counting))
                .connect()) {
      // a begin and a completion
      for (int i = 0; i < STREAMED_CALLS / 2; i++) {
        client.once("charge", "key-" + i, claim -> {});
      }
    }
    assertThat(opened).hasValueBetween(3, 4);
  }
}
