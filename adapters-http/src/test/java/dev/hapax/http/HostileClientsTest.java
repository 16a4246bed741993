package dev.hapax.http;

import static dev.hapax.http.FakeRunServer.AWAIT_RUN;
import static dev.hapax.http.FakeRunServer.GET_RUN;
import static dev.hapax.http.FakeRunServer.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Other clients are answered, whatever one does. */
@Tag("A8")
@Timeout(60)
class HostileClientsTest {
  private static final int MANY = ConnectHandler.MAX_OPEN_PER_NETWORK;
  private static final String HEAD = request(GET_RUN, "{}").replace("\r\n\r\n{}", "\r\n");

  private final FakeRunServer server;
  private final Deque<Socket> open = new ArrayDeque<>();

  HostileClientsTest() throws IOException {
    server = new FakeRunServer();
  }

  @AfterEach
  void stop() throws IOException {
    for (var socket : open) {
      socket.close();
    }
    server.close();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private Socket open(String from, String request) throws IOException {
    var socket = server.open(from, request);
    open.push(socket);
    return socket;
  }

  private void openMany(String request) throws IOException {
    for (var i = 0; i < MANY; i++) {
      var _ = open("127.0.0.1", request);
    }
  }

  private static String status(Socket socket) throws IOException {
    return new String(socket.getInputStream().readNBytes("HTTP/1.1 200".length()), UTF_8)
        .replace("HTTP/1.1 ", "");
  }

  @Test
  @DisplayName("given callers without credentials that send no body, then others are answered")
  void anonymous() throws Exception {
    openMany(HEAD + "Authorization: wrong\r\n\r\n");
    for (var socket : open) {
      assertThat(status(socket)).isEqualTo("401");
    }
    assertThat(server.post(GET_RUN, "{}").statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given bodies that do not go on, then others are answered")
  void slowBodies() throws Exception {
    openMany(HEAD + "\r\n{");
    await(() -> server.received().size() == MANY);
    assertThat(server.post(GET_RUN, "{}").statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given callers whose tokens are not verified yet, then others are answered")
  void unverified() throws Exception {
    openMany(HEAD + "Authorization: unverified\r\n\r\n{}");
    await(() -> server.received().size() == MANY);
    assertThat(server.post(GET_RUN, "{}").statusCode()).isEqualTo(200);
    assertThat(server.runs().called()).hasSize(1);
  }

  @Test
  @DisplayName("given as many open calls of a network as allowed, then one more of it gets 429")
  void callsOfANetwork() throws Exception {
    openMany(request(AWAIT_RUN, "{}"));
    await(() -> server.runs().called().size() == MANY);
    var refused = server.post(GET_RUN, "{}");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).contains("1");
    assertThat(status(open("127.0.0.2", request(GET_RUN, "{}")))).isEqualTo("200");
    for (var socket : open) {
      socket.close();
    }
    await(() -> server.cancelled() >= MANY);
    assertThat(server.post(GET_RUN, "{}").statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given networks that take all places, then one more gets none until one is free")
  void total() {
    var places = new NetworkPlaces(3, 2);
    assertThat(places.take("a", 1)).isTrue();
    assertThat(places.take("a", 1)).isTrue();
    assertThat(places.take("a", 1)).isFalse();
    assertThat(places.take("b", 1)).isTrue();
    assertThat(places.take("b", 1)).isFalse();
    places.free("a", 1);
    assertThat(places.take("b", 1)).isTrue();
    assertThat(places.take("a", 1)).isFalse();
  }
}
