package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A8")
@Tag("nightly")
class ConsoleFloodIT {
  private static final int CONNECTIONS = 500;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A request whose headers never end. */
  private static final byte[] HALF_REQUEST =
      "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ".getBytes(StandardCharsets.US_ASCII);

  @Test
  @DisplayName(
      "given 500 requests to the console that never end, then probes, gRPC and other visitors are"
          + " served, and the server closes them [A8]")
  void serves() throws Exception {
    try (var database = TestDatabase.create();
        var server =
            HapaxProcess.start(
                "serve",
                "--authentication",
                "--listen=127.0.0.1:0",
                "--metrics-listen=127.0.0.1:0",
                "--console-listen=127.0.0.1:0",
                "--database-url=" + database.url());
        var client = HttpClient.newHttpClient()) {
      var target = server.awaitReady();
      var key = new ApiKeys(database).create("caller", "role=viewer workspace=*");
      var console = ConsoleDeployment.console(server);
      var probe = URI.create("http://" + metrics(server) + "/livez");
      List<Socket> slow = new ArrayList<>();
      try (var tenant = Caller.to(target);
          var caller = new RunCaller(tenant.as(key))) {
        Condition.await("the key is known", () -> isKnown(caller));
        while (slow.size() < CONNECTIONS) {
          slow.add(halfRequest(console.getPort()));
        }
        for (var i = 0; i < 20; i++) {
          assertThat(status(client, probe)).isEqualTo(200);
          assertThat(caller.list()).isEmpty();
          assertThat(status(client, console.resolve("/login"))).isEqualTo(200);
        }
        Condition.await(
            "the server closes them",
            PATIENCE,
            () -> slow.stream().allMatch(each -> isClosed(each)));
        assertThat(server.errors()).noneMatch(line -> line.contains(" ERROR "));
      } finally {
        for (var each : slow) {
          each.close();
        }
      }
    }
  }

  private static boolean isKnown(RunCaller caller) {
    try {
      return caller.list().isEmpty();
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Code.UNAUTHENTICATED) {
        return false;
      }
      throw e;
    }
  }

  private static String metrics(HapaxProcess server) {
    var line = "metrics on ";
    return server.awaitError(each -> each.contains(line)).replaceFirst(".*" + line, "");
  }

  private static int status(HttpClient client, URI address) throws Exception {
    var request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(30)).build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }

  private static Socket halfRequest(int port) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(1);
    socket.getOutputStream().write(HALF_REQUEST);
    return socket;
  }

  /** Whether the server has ended the connection, which a read tells. */
  private static boolean isClosed(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
