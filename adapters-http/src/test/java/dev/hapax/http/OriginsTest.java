package dev.hapax.http;

import static dev.hapax.http.FakeRunServer.GET_RUN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** By raw requests: HTTP clients do not send all of these headers. */
class OriginsTest {
  private static final String APP = "https://app.example.com";
  private static final String ALLOW = "access-control-allow-origin";

  private final FakeRunServer closed;
  private final FakeRunServer open;

  OriginsTest() throws IOException {
    closed = new FakeRunServer(HttpTimeouts.DEFAULT, HostNames.of(Set.of("Hapax.internal")));
    open = new FakeRunServer(HttpTimeouts.DEFAULT, APP);
  }

  @AfterEach
  void stop() {
    closed.close();
    open.close();
  }

  /** The headers of an answer, and its status under an empty name. */
  private static Map<String, String> send(FakeRunServer server, String line, String... headers)
      throws IOException {
    var request =
        "%s HTTP/1.1\r\n%s\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
            .formatted(line, String.join("\r\n", headers));
    try (var client = server.open(request);
        var reader =
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
      var answer = new HashMap<String, String>();
      answer.put("", Objects.requireNonNull(reader.readLine()).split(" ", 3)[1]);
      for (var field = reader.readLine(); !field.isEmpty(); field = reader.readLine()) {
        var parts = field.split(": ", 2);
        answer.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
      }
      return answer;
    }
  }

  private static Map<String, String> preflight(FakeRunServer server, String origin)
      throws IOException {
    return send(
        server,
        "OPTIONS " + GET_RUN,
        "Host: localhost",
        "Origin: " + origin,
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: content-type,connect-protocol-version");
  }

  @Test
  @DisplayName("given an allowed page, then its browser learns what it may send, and may read")
  void allowed() throws Exception {
    var preflight = preflight(open, APP);
    assertThat(preflight)
        .containsEntry("", "200")
        .containsEntry(ALLOW, APP)
        .containsEntry("vary", "Origin")
        .containsEntry("access-control-allow-methods", "GET, POST")
        .containsEntry("access-control-max-age", "7200")
        .doesNotContainKey("access-control-allow-credentials");
    assertThat(preflight.get("access-control-allow-headers"))
        .contains(
            "Content-Type", "Connect-Protocol-Version", "Connect-Timeout-Ms", "Authorization");
    for (var path : List.of(GET_RUN, "/nothing")) {
      assertThat(send(open, "POST " + path, "Host: localhost", "Origin: " + APP))
          .containsEntry("", path.equals(GET_RUN) ? "200" : "404")
          .containsEntry(ALLOW, APP)
          .containsEntry("access-control-expose-headers", "Retry-After, Trailer-Hapax-Reason")
          .containsEntry("vary", "Origin");
    }
    assertThat(send(open, "POST " + GET_RUN, "Host: localhost"))
        .containsEntry("", "200")
        .containsEntry("vary", "Origin")
        .doesNotContainKey(ALLOW);
  }

  @Test
  @DisplayName("given another page, or no allowed one, then it is refused and may read nothing")
  void others() throws Exception {
    for (var origin :
        List.of(
            "https://example.com", "http://app.example.com", APP + ":8443", APP + "/", "null")) {
      for (var answer :
          List.of(
              preflight(open, origin),
              send(open, "POST " + GET_RUN, "Host: localhost", "Origin: " + origin))) {
        assertThat(answer).as(origin).containsEntry("", "403").doesNotContainKey(ALLOW);
      }
    }
    assertThat(preflight(closed, APP)).containsEntry("", "403").doesNotContainKey(ALLOW);
    assertThat(open.received()).isEmpty();
  }

  @Test
  @DisplayName(
      "given callers that are not known, when the name of the server is another one, then no method"
          + " and no document answers [security-M4]")
  void rebinding() throws Exception {
    var get = "GET %s?encoding=json&message={}".formatted(GET_RUN);
    for (var host :
        List.of("evil.example.com", "evil.example.com:7421", "127.0.0.1.evil.com", "")) {
      for (var line : List.of(get, "POST " + GET_RUN, "GET /openapi.json", "OPTIONS *")) {
        assertThat(send(closed, line, "Host: " + host)).as(host).containsEntry("", "403");
        assertThat(send(closed, line, "Host: " + host, "Authorization: Bearer k"))
            .as(host)
            .containsEntry("", "403");
      }
    }
    assertThat(closed.received()).isEmpty();
    for (var host :
        List.of(
            "localhost",
            "LOCALHOST:7421",
            "127.0.0.1:7421",
            "10.0.0.7",
            "[::1]:7421",
            "hapax.internal",
            "HAPAX.internal:7421")) {
      assertThat(send(closed, get, "Host: " + host)).as(host).containsEntry("", "200");
      assertThat(send(closed, "POST " + GET_RUN, "Host: " + host)).containsEntry("", "200");
    }
    assertThat(send(open, get, "Host: anything", "Origin: " + APP)).containsEntry("", "200");
  }
}
