package dev.hapax.http;

import static dev.hapax.http.FakeRunServer.AWAIT_RUN;
import static dev.hapax.http.FakeRunServer.GET_RUN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConnectServerTest {
  private final FakeRunServer server;

  ConnectServerTest() throws IOException {
    server = new FakeRunServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpRequest.Builder to(String path) {
    return server.to(path);
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return server.send(request);
  }

  private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
    return server.post(path, body, headers);
  }

  private static String header(HttpResponse<?> answer, String header) {
    return answer.headers().firstValue(header).orElse("");
  }

  @Test
  @DisplayName("given JSON, when a method is called, then the answer is JSON and no cache keeps it")
  void json() throws Exception {
    var answer = post(GET_RUN, "{\"run_id\": \"r1\"}", "Connect-Protocol-Version", "1");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"run\":{\"id\":\"r1\"}}");
    assertThat(header(answer, "Content-Type")).isEqualTo("application/json");
    assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
    assertThat(server.callers().getFirst().getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  @DisplayName("given protobuf, when a method is called, then the answer is protobuf")
  void proto() throws Exception {
    var request = GetRunRequest.newBuilder().setRunId("r1").build();
    var answer =
        server
            .client()
            .send(
                to(GET_RUN)
                    .setHeader("Content-Type", "application/proto")
                    .POST(BodyPublishers.ofByteArray(request.toByteArray()))
                    .build(),
                BodyHandlers.ofByteArray());
    assertThat(header(answer, "Content-Type")).isEqualTo("application/proto");
    assertThat(GetRunResponse.parseFrom(answer.body()).getRun().getId()).isEqualTo("r1");
  }

  @Test
  @DisplayName(
      "given credentials, when a method is called, then they and nothing else are passed on")
  void credentials() throws Exception {
    var _ =
        post(GET_RUN, "{}", "Authorization", "Bearer k", "Cookie", "a=b", "hapax-caller-bin", "AA");
    var headers = server.received().getFirst();
    assertThat(FakeRunServer.authorization(headers)).isEqualTo("Bearer k");
    assertThat(headers.keys()).doesNotContain("cookie", "hapax-caller-bin");
  }

  @Test
  @DisplayName("given an error with a time to wait, then the status is 429 with Retry-After")
  void retryAfter() throws Exception {
    var answer = post(GET_RUN, "{\"runId\": \"busy\"}");
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(header(answer, "Retry-After")).isEqualTo("3");
    assertThat(answer.body())
        .startsWith("{\"code\":\"resource_exhausted\",\"message\":\"busy\",\"details\":[")
        .contains("\"debug\":{\"retryDelay\":\"3s\"}");
  }

  @Test
  @DisplayName("given an unexpected error, then the answer says nothing of it")
  void unexpected() throws Exception {
    var answer = post(GET_RUN, "{\"runId\": \"broken\"}");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("secret", "Exception");
  }

  @Test
  @DisplayName("given a timeout, when the call takes longer, then the status is 504")
  void timeout() throws Exception {
    var answer = post(AWAIT_RUN, "{}", "Connect-Timeout-Ms", "50");
    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.body()).contains("\"code\":\"deadline_exceeded\"");
    assertThat(post(GET_RUN, "{}", "Connect-Timeout-Ms", "9999999999").statusCode()).isEqualTo(200);
    for (var wrong : List.of("", "-1", "1.5", "12345678901", "soon")) {
      assertThat(post(AWAIT_RUN, "{}", "Connect-Timeout-Ms", wrong).statusCode()).isEqualTo(400);
    }
  }

  @Test
  @DisplayName("given another HTTP method, path or type, then the status says so in JSON")
  void misuse() throws Exception {
    for (var verb : List.of("PUT", "HEAD", "OPTIONS")) {
      var other = send(to(GET_RUN).method(verb, BodyPublishers.noBody()).build());
      assertThat(other.statusCode()).isEqualTo(405);
      assertThat(header(other, "Allow")).isEqualTo("GET, POST");
    }
    var get = send(to("/hapax.v1.RunService/StartRun?encoding=json&message=%7B%7D").GET().build());
    assertThat(get.statusCode()).isEqualTo(405);
    assertThat(header(get, "Allow")).isEqualTo("POST");
    assertThat(post("/hapax.v1.RunService/Nothing", "{}").statusCode()).isEqualTo(404);
    assertThat(post("/", "{}").body()).contains("\"code\":\"unimplemented\"");
    assertThat(post("/hapax.v1.RunService%2FGetRun", "{}").statusCode()).isEqualTo(404);
    for (var type : List.of("text/plain", "application/x-www-form-urlencoded", "application/xml")) {
      var answer =
          send(
              to(GET_RUN)
                  .setHeader("Content-Type", type)
                  .POST(BodyPublishers.ofString("{}"))
                  .build());
      assertThat(answer.statusCode()).isEqualTo(415);
      assertThat(header(answer, "Accept-Post")).contains("application/json");
    }
    assertThat(post(GET_RUN, "{}", "Connect-Protocol-Version", "2").statusCode()).isEqualTo(400);
    assertThat(post(GET_RUN, "{}", "Content-Encoding", "gzip").statusCode()).isEqualTo(501);
    assertThat(post(GET_RUN, "{}", "Origin", "https://example.com").statusCode()).isEqualTo(403);
    assertThat(post("/hapax.v1.RunService/StartRunStream", "{}").statusCode()).isEqualTo(501);
    assertThat(server.received()).isEmpty();
  }

  @Test
  @DisplayName("given a compressed body, then the error says which encoding is read")
  void compressed() throws Exception {
    for (var encoding : List.of("gzip", "br", "zstd", "unknown")) {
      var answer = post(GET_RUN, "{}", "Content-Encoding", encoding);
      assertThat(answer.statusCode()).isEqualTo(501);
      assertThat(answer.body()).contains("\"code\":\"unimplemented\"", "must be identity");
    }
    assertThat(post(GET_RUN, "{}", "Content-Encoding", "identity").statusCode()).isEqualTo(200);
    var accepted = post(GET_RUN, "{}", "Accept-Encoding", "gzip, br");
    assertThat(header(accepted, "Content-Encoding")).isEmpty();
  }

  @Test
  @DisplayName("given a body of no bytes, then it is no JSON, and an empty protobuf message")
  void empty() throws Exception {
    var json = post(GET_RUN, "");
    assertThat(json.statusCode()).isEqualTo(400);
    assertThat(json.body()).contains("\"code\":\"invalid_argument\"");
    assertThat(header(json, "Trailer-Hapax-Reason")).isEqualTo("UNREADABLE_MESSAGE");
    var proto =
        to(GET_RUN).setHeader("Content-Type", "application/proto").POST(BodyPublishers.noBody());
    assertThat(send(proto.build()).statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given a type with parameters, or in capitals, then it is read")
  void typeParameters() throws Exception {
    for (var type : List.of("application/json; charset=utf-8", "Application/JSON")) {
      var request = to(GET_RUN).setHeader("Content-Type", type);
      assertThat(send(request.POST(BodyPublishers.ofString("{}")).build()).statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  @DisplayName("given a typo, then it is ignored, and found by a strict request")
  void strict() throws Exception {
    assertThat(post(GET_RUN, "{\"run\": \"r\"}").statusCode()).isEqualTo(200);
    var answer = post(GET_RUN, "{\"run\": \"r\"}", "Hapax-Strict", "1");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("run");
  }

  @Test
  @DisplayName("given a body above 1 MiB, with or without its length, then the status is 413")
  void tooLarge() throws Exception {
    var body = "x".repeat((1 << 20) + 1);
    var chunked =
        BodyPublishers.ofInputStream(
            () -> new java.io.ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
    for (BodyPublisher each : List.of(BodyPublishers.ofString(body), chunked)) {
      var answer = send(to(GET_RUN).POST(each).build());
      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(answer.body()).contains("\"code\":\"resource_exhausted\"");
    }
    var fits = "{\"runId\": \"%s\"}".formatted("x".repeat((1 << 20) - 20));
    assertThat(post(GET_RUN, fits).statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given a server that has stopped, then the status is 503")
  void stopped() throws Exception {
    server.stopGrpc();
    var answer = post(GET_RUN, "{}");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("\"code\":\"unavailable\"");
  }
}
