package dev.hapax.http;

import static dev.hapax.http.FakeRunServer.GET_RUN;
import static dev.hapax.http.FakeRunServer.WATCH_RUN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectGetTest {
  private static final String JSON = "{\"runId\": \"ä+;=&\"}";
  private static final GetRunRequest PROTO = GetRunRequest.newBuilder().setRunId("ä+;=&").build();

  private final FakeRunServer server;

  ConnectGetTest() throws IOException {
    server = new FakeRunServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<byte[]> get(String address) throws Exception {
    return server.client().send(server.to(address).GET().build(), BodyHandlers.ofByteArray());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String percent(byte[] bytes) {
    return HexFormat.of().withPrefix("%").formatHex(bytes);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Test
  @DisplayName("given a method without side effects, then GET calls it with its message encoded")
  void encodings() throws Exception {
    for (var message :
        List.of(
            encoded(JSON),
            encoded(JSON).replace("+", "%20"),
            base64(JSON.getBytes(StandardCharsets.UTF_8)) + "&base64=1",
            Base64.getUrlEncoder().encodeToString(JSON.getBytes(StandardCharsets.UTF_8))
                + "&base64=1&connect=v1&compression=identity")) {
      var answer = get("%s?encoding=json&message=%s".formatted(GET_RUN, message));
      assertThat(answer.statusCode()).as(message).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
      assertThat(new String(answer.body(), StandardCharsets.UTF_8))
          .isEqualTo("{\"run\":{\"id\":\"ä+;\\u003d\\u0026\"}}");
    }
    for (var message :
        List.of(base64(PROTO.toByteArray()) + "&base64=1", percent(PROTO.toByteArray()))) {
      var answer = get("%s?message=%s&encoding=proto".formatted(GET_RUN, message));
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/proto");
      assertThat(GetRunResponse.parseFrom(answer.body()).getRun().getId()).isEqualTo("ä+;=&");
    }
  }

  @Test
  @DisplayName("given the whole address, as to a proxy, then it is understood")
  void absolute() throws Exception {
    try (var client =
        server.open(
            "GET http://localhost%s?encoding=json&message={} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .formatted(GET_RUN))) {
      assertThat(client.getInputStream().readNBytes(15)).asString().isEqualTo("HTTP/1.1 200 OK");
    }
  }

  @ParameterizedTest
  @DisplayName("given an address that is no call, then the error names the parameter")
  @ValueSource(
      strings = {
        "message=%7B%7D",
        "encoding=json",
        "encoding=xml&message=%7B%7D",
        "encoding=json&message=%7B%7D&message=%7B%7D",
        "encoding=json&message=%7B%7D&connect=v2",
        "encoding=json&message=%7B%7D&compression=gzip",
        "encoding=json&message=%7B%7D&base64=1",
        "encoding=json&message=%7B%7D&base64=yes",
        "encoding=json&message=%zz",
        "encoding=json&message="
      })
  void malformed(String query) throws Exception {
    var answer = get(GET_RUN + "?" + query.replace("%zz", "%25zz"));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(new String(answer.body(), StandardCharsets.UTF_8))
        .contains("\"code\":\"invalid_argument\"");
  }

  @Test
  @DisplayName("given a percent sign without digits, then the status is 400")
  void percentSign() throws Exception {
    try (var client =
        server.open(
            "GET %s?encoding=json&message=%%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .formatted(GET_RUN))) {
      assertThat(client.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 400");
    }
  }

  @Test
  @DisplayName("given the path of the OpenAPI document, then it is the one among the documents")
  void document() throws Exception {
    var answer = get("/openapi.json");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(answer.body()).isEqualTo(Files.readAllBytes(Path.of("../docs/openapi.json")));
  }

  @Test
  @DisplayName("given a stream, then GET cannot call it")
  void stream() throws Exception {
    assertThat(get(WATCH_RUN + "?encoding=json&message=%7B%7D").statusCode()).isEqualTo(405);
  }
}
