package dev.hapax.http;

import static dev.hapax.http.FakeRunServer.AWAIT_RUN;
import static dev.hapax.http.FakeRunServer.GET_RUN;
import static dev.hapax.http.FakeRunServer.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpConnectionTest {
  private final FakeRunServer server;

  HttpConnectionTest() throws IOException {
    server = new FakeRunServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Reads the status line, the headers and the body of an answer. */
  private static List<String> answer(BufferedReader reader) throws IOException {
    var lines = new ArrayList<String>();
    var length = 0;
    for (var line = reader.readLine(); !line.isEmpty(); line = reader.readLine()) {
      lines.add(line);
      if (line.startsWith("content-length: ")) {
        length = Integer.parseInt(line.substring("content-length: ".length()));
      }
    }
    var body = new char[length];
    for (var at = 0; at < length; ) {
      at += reader.read(body, at, length - at);
    }
    lines.add(new String(body));
    return lines;
  }

  @Test
  @DisplayName("given a call that waits, when its client goes away, then the call is cancelled")
  void gone() throws Exception {
    try (var client = server.open(request(AWAIT_RUN, "{}"))) {
      await(() -> server.received().size() == 1);
      assertThat(server.cancelled()).isZero();
      assertThat(client.isConnected()).isTrue();
    }
    await(() -> server.cancelled() == 1);
  }

  @Test
  @DisplayName("given a body that is not complete, when its client goes away, then the call ends")
  void goneEarly() throws Exception {
    try (var client =
        server.open(
            "POST %s HTTP/1.1\r\nHost: x\r\n".formatted(GET_RUN)
                + "Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{")) {
      await(() -> server.received().size() == 1);
      assertThat(client.isConnected()).isTrue();
    }
    await(() -> server.cancelled() == 1);
  }

  @Test
  @DisplayName("given many requests at once, then they are answered in their order")
  void pipelined() throws Exception {
    var count = 3_000;
    var requests = new StringBuilder();
    for (var i = 0; i < count; i++) {
      // those of a path without a method are answered without a call
      requests.append(
          request(
              i % 2 == 0 ? GET_RUN : "/nothing",
              String.format(Locale.ROOT, "{\"runId\": \"r%d\"}", i)));
    }
    try (var client = server.open("")) {
      var sent = Thread.startVirtualThread(() -> send(client, requests.toString()));
      var answers = reader(client);
      for (var i = 0; i < count; i++) {
        var answer = answer(answers);
        if (i % 2 == 0) {
          assertThat(answer.getLast())
              .isEqualTo(String.format(Locale.ROOT, "{\"run\":{\"id\":\"r%d\"}}", i));
        } else {
          assertThat(answer.getFirst()).contains("404");
        }
      }
      sent.join();
    }
  }

  @Test
  @DisplayName(
      "given a body that is refused at once, when the head of the next request is there, then its body is read too")
  void refusedBeforeTheNext() throws Exception {
    var next =
        "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n".formatted(GET_RUN)
            + "Content-Length: 2\r\n\r\n";
    try (var client = server.open(request(GET_RUN, "no JSON") + next)) {
      var answers = reader(client);
      assertThat(answer(answers).getFirst()).contains("400");
      send(client, "{}");
      assertThat(answer(answers).getFirst()).contains("200");
    }
  }

  private static void send(Socket client, String text) {
    try {
      client.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("given a client that asks before it sends, then it is asked for its body")
  void continued() throws Exception {
    var head =
        "POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n".formatted(GET_RUN)
            + "Content-Type: application/json\r\nContent-Length: %d\r\n%s\r\n";
    try (var client = server.open(head.formatted(2, ""))) {
      var answers = reader(client);
      assertThat(answer(answers).getFirst()).contains("100");
      send(client, "{}");
      assertThat(answer(answers).getFirst()).contains("200");
    }
    try (var client = server.open(head.formatted(2, "Authorization: wrong\r\n"))) {
      assertThat(answer(reader(client)).getFirst()).contains("401");
    }
    try (var client = server.open(head.formatted(1 << 30, ""))) {
      assertThat(answer(reader(client)).getFirst()).contains("413");
    }
  }

  @Test
  @DisplayName("given wrong credentials, then they are refused before the body has come")
  void unauthenticated() throws Exception {
    try (var client =
        server.open(
            "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: wrong\r\n".formatted(GET_RUN)
                + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n")) {
      var answers = reader(client);
      assertThat(answer(answers))
          .contains("HTTP/1.1 401 Unauthorized")
          .last()
          .isEqualTo("{\"code\":\"unauthenticated\",\"message\":\"no such key\"}");
      send(client, "{}" + request(GET_RUN, "{}"));
      assertThat(answer(answers).getFirst()).as("the next request").contains("200");
    }
  }

  @Test
  @DisplayName("given what is not HTTP, or has too long a head, then the status says so")
  void malformed() throws Exception {
    var tooMany = "X-Many: y\r\n".repeat(2_000);
    for (var each :
        List.of(
            List.of("400", "no http\r\n\r\n"),
            List.of("400", request(GET_RUN, "{}").replace("Length: 2", "Length: two")),
            List.of(
                "400", request(GET_RUN, "{}").replace("Length: 2", "Length: " + "9".repeat(30))),
            List.of("414", "POST /%s HTTP/1.1\r\n\r\n".formatted("x".repeat(20_000))),
            List.of("431", "POST %s HTTP/1.1\r\n%s\r\n".formatted(GET_RUN, tooMany)))) {
      try (var client = server.open(each.getLast())) {
        var answers = reader(client);
        assertThat(answer(answers)).first().asString().as(each.getLast()).contains(each.getFirst());
        assertThat(answers.read()).as("the connection is closed").isEqualTo(-1);
      }
    }
  }

  @Test
  @DisplayName("given a body that is too large, when its client sends it, then it reads the answer")
  void tooLarge() throws Exception {
    try (var client = server.open(request(GET_RUN, "x".repeat(2 << 20)) + request(GET_RUN, "{}"))) {
      var answers = reader(client);
      assertThat(answer(answers).getFirst()).contains("413");
      assertThat(answer(answers).getFirst()).as("the next request").contains("200");
    }
  }

  @Test
  @DisplayName("given HTTP/1.0 or Connection: close, then the connection is closed")
  void notKept() throws Exception {
    for (var request :
        List.of(
            request(GET_RUN, "{}").replace("HTTP/1.1", "HTTP/1.0"),
            request(GET_RUN, "{}").replace("Host: x", "Host: x\r\nConnection: close"))) {
      try (var client = server.open(request)) {
        var answers = reader(client);
        assertThat(answer(answers)).contains("connection: close");
        assertThat(answers.read()).isEqualTo(-1);
      }
    }
  }

  @Test
  @DisplayName(
      "given as many connections of a network as allowed, then one more of it is closed, but none of others")
  void connections() throws Exception {
    var open = new ArrayList<Socket>();
    try {
      while (open.size() < HttpServer.MAX_CONNECTIONS_PER_NETWORK) {
        open.add(server.open(""));
      }
      for (var socket : open) {
        send(socket, request(GET_RUN, "{}"));
        assertThat(answer(reader(socket)).getFirst()).contains("200");
      }
      try (var more = server.open("")) {
        assertThat(more.getInputStream().read()).isEqualTo(-1);
      }
      try (var other = server.open("127.0.0.2", request(GET_RUN, "{}"))) {
        assertThat(answer(reader(other)).getFirst()).contains("200");
      }
    } finally {
      for (var socket : open) {
        socket.close();
      }
    }
  }

  @Test
  @DisplayName("given a server that stops, then open connections are closed and no new one is made")
  void stopped() throws Exception {
    try (var idle = server.open("");
        var waiting = server.open(request(AWAIT_RUN, "{}"))) {
      await(() -> server.received().size() == 1);
      server.stopGrpc();
      server.http().close();
      var answers = reader(waiting);
      assertThat(answer(answers).getFirst()).contains("503");
      assertThat(answers.read()).isEqualTo(-1);
      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      assertThatThrownBy(() -> server.open("")).isInstanceOf(ConnectException.class);
    }
  }

  @Test
  @DisplayName("given bodies that take all memory for them, then others are refused until they end")
  void memory() throws Exception {
    var memory = new NetworkPlaces(100, 95);
    var first = new RequestBody(memory, "one");
    first.add(Unpooled.wrappedBuffer(new byte[90]));
    var second = new RequestBody(memory, "other");
    assertThatThrownBy(() -> second.add(Unpooled.wrappedBuffer(new byte[11])))
        .isInstanceOfSatisfying(
            RefusedRequestException.class,
            refusal -> assertThat(refusal.error().code()).isEqualTo(ConnectCode.UNAVAILABLE));
    var third = new RequestBody(memory, "one");
    assertThatThrownBy(() -> third.add(Unpooled.wrappedBuffer(new byte[6])))
        .isInstanceOf(RefusedRequestException.class);
    second.add(Unpooled.wrappedBuffer(new byte[6]));
    second.clear();
    first.clear();
    first.clear();
    second.add(Unpooled.wrappedBuffer(new byte[90]));
    assertThat(second.bytes()).hasSize(90);
    assertThat(memory.free()).isEqualTo(10);
  }

  private static void assertClosed(FakeRunServer server, String sent) throws IOException {
    try (var client = server.open(sent)) {
      assertThat(client.getInputStream().read()).as(sent).isEqualTo(-1);
    }
  }

  @Test
  @DisplayName("given a client that is silent for too long, then its connection is closed")
  void silent() throws Exception {
    try (var other =
        new FakeRunServer(new HttpTimeouts(Duration.ofSeconds(1), Duration.ofMinutes(15)))) {
      var half = request(GET_RUN, "{}");
      try (var nothing = other.open("");
          var line = other.open("POST");
          var body = other.open(half.substring(0, half.length() - 1))) {
        for (var client : List.of(nothing, line, body)) {
          assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
      }
      try (var reads = other.open(request(GET_RUN, "{\"runId\": \"large\"}"));
          var waits = other.open(request(AWAIT_RUN, "{}"))) {
        assertThat(reads.getInputStream().read()).as("the answer has begun").isPositive();
        for (var i = 0; i < 3; i++) {
          assertClosed(other, "");
        }
        assertThat(reads.getInputStream().readAllBytes().length).isLessThan(FakeRuns.LARGE);
        assertThat(waits.isConnected()).isTrue();
        assertThat(other.cancelled()).as("the call whose body was not complete").isEqualTo(1);
      }
    }
  }
}
