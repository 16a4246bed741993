package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("A8")
@Tag("fault")
@Tag("long")
class SlowHandshakesIT {
  private static final int CONNECTIONS = 10_000;

  /** The first bytes of a ClientHello of TLS, whose rest never comes. */
  private static final byte[] HALF_HELLO = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3};

  @Test
  @DisplayName("given 10,000 handshakes that never end, then other callers connect and are served")
  void serves(@TempDir Path folder) throws Exception {
    var authority = TestCertificates.authority("slow handshakes");
    authority.issue("localhost", "127.0.0.1").writeTo(folder);
    var trusted = Files.writeString(folder.resolve("ca.crt"), authority.pem());
    Deque<SocketChannel> slow = new ArrayDeque<>();
    try (var database = TestDatabase.create();
        var server =
            HapaxProcess.start(
                "serve",
                "--listen=127.0.0.1:0",
                "--database-url=" + database.url(),
                "--authentication",
                "--tls-cert=" + folder.resolve("tls.crt"),
                "--tls-key=" + folder.resolve("tls.key"),
                "--max-connections=" + 2 * CONNECTIONS,
                "--max-connections-per-address=" + 2 * CONNECTIONS)) {
      var target = server.awaitReady();
      var key = new ApiKeys(database).create("caller", "role=viewer workspace=*");
      var port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
      try {
        while (slow.size() < CONNECTIONS) {
          slow.push(halfHandshake(port));
        }
        // from here on a new connection comes while the others wait
        for (var i = 0; i < 20; i++) {
          var channel =
              Grpc.newChannelBuilder(
                      target,
                      TlsChannelCredentials.newBuilder().trustManager(trusted.toFile()).build())
                  .build();
          try {
            Condition.await("served", () -> isServed(channel, key));
          } finally {
            channel.shutdownNow();
          }
        }
        assertThat(server.errors()).noneMatch(line -> line.contains("OutOfMemory"));
      } finally {
        for (var each : slow) {
          each.close();
        }
      }
    }
  }

  private static SocketChannel halfHandshake(int port) throws IOException {
    var socket = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.write(ByteBuffer.wrap(HALF_HELLO));
    return socket;
  }

  /** Whether the server knows the key by now; any other error fails the test. */
  private static boolean isServed(ManagedChannel channel, ApiKey key) {
    try {
      return ApiKeys.with(key, MonitoringServiceGrpc.newBlockingStub(channel))
          .withDeadlineAfter(10, TimeUnit.SECONDS)
          .getServerInfo(GetServerInfoRequest.getDefaultInstance())
          .hasServer();
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Code.UNAUTHENTICATED) {
        return false;
      }
      throw e;
    }
  }
}
