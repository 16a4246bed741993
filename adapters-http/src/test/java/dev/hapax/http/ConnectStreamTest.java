package dev.hapax.http;

import static dev.hapax.http.FakeRunServer.GET_RUN;
import static dev.hapax.http.FakeRunServer.WATCH_RUN;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectStreamTest {
  private static final String JSON = "application/connect+json";

  private final FakeRunServer server;

  ConnectStreamTest() throws IOException {
    server = new FakeRunServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private record Part(int flags, ByteString bytes) {
    String text() {
      return flags + " " + bytes.toStringUtf8();
    }
  }

  private static byte[] envelope(int flags, byte[] message) {
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) flags)
        .putInt(message.length)
        .put(message)
        .array();
  }

  private static byte[] json(String run) {
    return envelope(0, "{\"runId\": \"%s\"}".formatted(run).getBytes(StandardCharsets.UTF_8));
  }

  private HttpResponse<InputStream> watch(String type, byte[] body, String... headers)
      throws Exception {
    var request =
        server.to(WATCH_RUN).setHeader("Content-Type", type).POST(BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return server.client().send(request.build(), BodyHandlers.ofInputStream());
  }

  private static Part part(InputStream stream) throws IOException {
    var data = new DataInputStream(stream);
    var flags = data.readUnsignedByte();
    return new Part(flags, ByteString.copyFrom(data.readNBytes(data.readInt())));
  }

  /** All parts up to the end of the stream, as texts. */
  private static List<String> texts(HttpResponse<InputStream> answer) throws IOException {
    try (var body = answer.body()) {
      var parts = new ArrayList<Part>();
      do {
        parts.add(part(body));
      } while (parts.getLast().flags() == 0);
      assertThat(body.read()).as("nothing follows the last part").isEqualTo(-1);
      return parts.stream().map(Part::text).toList();
    }
  }

  private List<String> watchJson(String run, String... headers) throws Exception {
    var answer = watch(JSON, json(run), headers);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains(JSON);
    return texts(answer);
  }

  @Test
  @DisplayName(
      "given a run that has ended, when watched with JSON, then its events and an end come")
  void json() throws Exception {
    assertThat(watchJson("r"))
        .containsExactly(
            "0 {\"event\":{\"version\":\"1\"}}", "0 {\"event\":{\"version\":\"2\"}}", "2 {}");
  }

  @Test
  @DisplayName("given protobuf, then messages are protobuf and the end is JSON")
  void proto() throws Exception {
    var request = WatchRunRequest.newBuilder().setRunId("r").build().toByteArray();
    var answer = watch("application/connect+proto", envelope(0, request));
    try (var body = answer.body()) {
      assertThat(WatchRunResponse.parseFrom(part(body).bytes()).getEvent().getVersion())
          .isEqualTo(1);
      assertThat(WatchRunResponse.parseFrom(part(body).bytes()).getEvent().getVersion())
          .isEqualTo(2);
      assertThat(part(body).text()).isEqualTo("2 {}");
    }
  }

  @Test
  @DisplayName("given an error at once or later, then the status is 200 and the end has it")
  void errors() throws Exception {
    assertThat(watchJson("busy").getFirst())
        .startsWith("2 {\"error\":{\"code\":\"resource_exhausted\",\"message\":\"busy\",")
        .contains("\"debug\":{\"retryDelay\":\"3s\"}");
    assertThat(watchJson("stopping"))
        .containsExactly(
            "0 {\"event\":{\"version\":\"1\"}}",
            "2 {\"error\":{\"code\":\"unavailable\",\"message\":\"stopping\"}}");
    assertThat(watchJson("r", "Authorization", "wrong"))
        .containsExactly(
            "2 {\"error\":{\"code\":\"unauthenticated\",\"message\":\"no such key\"}}");
    assertThat(watchJson("open", "Connect-Timeout-Ms", "100").getLast())
        .contains("\"code\":\"deadline_exceeded\"", "deadline exceeded (Connect-Timeout-Ms)");
  }

  @Test
  @DisplayName("given a body that is not one message, then the end says what is wrong")
  void malformed() throws Exception {
    var message = "{}".getBytes(StandardCharsets.UTF_8);
    var two = new ByteArrayOutputStream();
    two.writeBytes(envelope(0, message));
    two.writeBytes(envelope(0, message));
    for (var body :
        List.of(
            new byte[0],
            new byte[] {0, 0, 0},
            envelope(2, message),
            two.toByteArray(),
            ByteBuffer.allocate(7).put((byte) 0).putInt(-1).array(),
            message,
            envelope(0, "{".getBytes(StandardCharsets.UTF_8)))) {
      var end = texts(watch(JSON, body));
      assertThat(end).hasSize(1);
      assertThat(end.getFirst())
          .startsWith("2 {\"error\":{\"code\":\"invalid_argument\"")
          .endsWith(",\"metadata\":{\"hapax-reason\":[\"UNREADABLE_MESSAGE\"]}}");
    }
    assertThat(texts(watch(JSON, envelope(254, message))).getFirst()).contains("the flags 254");
    assertThat(texts(watch(JSON, envelope(1, message))).getFirst())
        .contains("\"code\":\"unimplemented\"", "no compression");
    // no call is left open; the last one may end after its answer
    while (server.cancelled() < 9) {
      Thread.onSpinWait();
    }
  }

  @Test
  @DisplayName("given a stream that is refused before its call, then its end says why")
  void refused() throws Exception {
    for (var header :
        List.of("Connect-Protocol-Version", "Connect-Timeout-Ms", "Connect-Content-Encoding")) {
      assertThat(watchJson("r", header, "wrong")).singleElement().asString().contains(header);
    }
    var tooLarge = texts(watch(JSON, new byte[(1 << 20) + 1]));
    assertThat(tooLarge).singleElement().asString().contains("resource_exhausted", "1048576");
    var both =
        server
            .to("/hapax.v1.RunService/StartRunStream")
            .setHeader("Content-Type", JSON)
            .POST(BodyPublishers.noBody());
    var notOffered = texts(server.client().send(both.build(), BodyHandlers.ofInputStream()));
    assertThat(notOffered).singleElement().asString().contains("unimplemented", "by gRPC");
    assertThat(server.received()).isEmpty();
  }

  @Test
  @DisplayName("given the content type of the other kind of method, then the status is 415")
  void types() throws Exception {
    var unary = watch("application/json", "{}".getBytes(StandardCharsets.UTF_8));
    assertThat(unary.statusCode()).isEqualTo(415);
    assertThat(unary.headers().firstValue("Accept-Post"))
        .contains("application/connect+json, application/connect+proto");
    var stream =
        server.send(
            server
                .to(GET_RUN)
                .setHeader("Content-Type", JSON)
                .POST(BodyPublishers.ofByteArray(json("r")))
                .build());
    assertThat(stream.statusCode()).isEqualTo(415);
  }

  @Test
  @DisplayName(
      "given a stream that waits, then its first event has come, and a lost client ends it")
  void gone() throws Exception {
    var answer = watch(JSON, json("open"));
    try (var body = answer.body()) {
      assertThat(part(body).text()).contains("\"1\"");
      assertThat(server.cancelled()).isZero();
    }
    while (server.cancelled() == 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  @DisplayName("given events without end, then the server makes no more than its client reads")
  void flow() throws Exception {
    var answer = watch(JSON, json("endless"));
    try (var body = answer.body()) {
      for (var i = 0; i < 2_000; i++) {
        assertThat(part(body).flags()).isZero();
      }
      // each has 1 KB; the rest is in the buffers of the sockets
      assertThat(server.runs().sent()).isLessThan(64_000);
    }
  }

  @Test
  @DisplayName("given a stream that gets too old, then its end asks to open it again")
  void old() throws Exception {
    try (var other =
        new FakeRunServer(new HttpTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(1)))) {
      var request =
          other
              .to(WATCH_RUN)
              .setHeader("Content-Type", JSON)
              .POST(BodyPublishers.ofByteArray(json("open")));
      var texts = texts(other.client().send(request.build(), BodyHandlers.ofInputStream()));
      assertThat(texts).hasSize(2);
      assertThat(texts.getLast()).contains("\"code\":\"unavailable\"", "open it again");
      while (other.cancelled() == 0) {
        Thread.onSpinWait();
      }
    }
  }
}
