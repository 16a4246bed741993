package dev.hapax.bootstrap.kit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Value;
import dev.hapax.bootstrap.acceptance.Deployment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The HTTP middleware of each kit. */
@Tag("long")
class KitMiddlewareIT {
  private static final int CREATED = 201;
  private static final int BAD_REQUEST = 400;
  private static final int CONFLICT = 409;
  private static final int UNPROCESSABLE = 422;
  private static final int INTERNAL_ERROR = 500;
  private static final int UNAVAILABLE = 503;
  private static final String TOO_LONG = "k".repeat(256);

  @TempDir private Path folder = Path.of("");

  private interface Scenario {
    void run(KitScene scene, KitProgram program, String name, int port) throws Exception;
  }

  /** In each middleware of the kit, in a program of its own. */
  private void each(Kit kit, String work, Scenario scenario) throws Exception {
    each(kit, Deployment.shared().target(), Map.of(), work, scenario);
  }

  /** In each middleware of the kit, with these variables of a client. */
  private void each(
      Kit kit, String target, Map<String, String> access, String work, Scenario scenario)
      throws Exception {
    try (var scene = new KitScene(kit, target, folder, access)) {
      Set<String> names;
      try (var program = scene.program(access)) {
        names = serve(program, work).keySet();
      }
      assertThat(names).isNotEmpty();
      for (var name : names) {
        try (var program = scene.program(access)) {
          var port = (int) requireNonNull(serve(program, work).get(name)).getNumberValue();
          scenario.run(scene, program, name, port);
        }
      }
    }
  }

  private static Map<String, Value> serve(KitProgram program, String work) {
    return program.ask("serve", "\"work\": " + work).getStructValue().getFieldsMap();
  }

  private static HttpRequest request(
      int port, String path, String body, Map<String, String> headers) {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .version(HttpClient.Version.HTTP_1_1)
            .POST(BodyPublishers.ofString(body));
    headers.forEach(request::header);
    return request.build();
  }

  private static HttpResponse<String> post(int port, String key, String body) {
    return post(port, "/pay", key, body);
  }

  private static HttpResponse<String> post(int port, String path, String key, String body) {
    return send(request(port, path, body, Map.of("Idempotency-Key", key)));
  }

  /** By a connection of its own, as the servers of the programs close theirs. */
  private static HttpResponse<String> send(HttpRequest request) {
    try (var http = HttpClient.newHttpClient()) {
      return http.sendAsync(request, BodyHandlers.ofString()).join();
    }
  }

  private static String replayed(HttpResponse<?> response) {
    return response.headers().firstValue("Idempotent-Replayed").orElse("");
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a response, when the request is sent again, then it is replayed; another request gets 422")
  void replays(Kit kit) throws Exception {
    each(
        kit,
        "[{\"effect\": \"pay\"}, {\"return\": {\"receipt\": 7}}]",
        (scene, program, name, port) -> {
          var first = post(port, name, "30");
          assertThat(first.statusCode()).as("%s", first.body()).isEqualTo(CREATED);
          assertThat(first.body().replace(" ", "")).isEqualTo("{\"receipt\":7}");
          assertThat(first.headers().firstValue("Content-Type")).contains("application/json");
          assertThat(replayed(first)).isEmpty();

          var second = post(port, name, "30");
          assertThat(second.statusCode()).isEqualTo(CREATED);
          assertThat(second.body()).isEqualTo(first.body());
          assertThat(second.headers().firstValue("Content-Type")).contains("application/json");
          assertThat(replayed(second)).isEqualTo("true");
          assertThat(scene.effects()).containsOnlyOnce(name);

          assertProblem(post(port, name, "31"), UNPROCESSABLE);
          assertProblem(post(port, "/pay?twice=true", name, "30"), UNPROCESSABLE);
          assertThat(scene.effects()).containsOnlyOnce(name);
        });
  }

  private static void assertProblem(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).as("%s", response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
    var problem = KitJson.parse(response.body());
    assertThat(problem.getFieldsOrThrow("status").getNumberValue()).isEqualTo(status);
    assertThat(KitJson.text(problem, "detail")).isNotEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a request in progress, then another one with its key gets 409 and a time to wait")
  void inProgress(Kit kit) throws Exception {
    each(
        kit,
        "[{\"hold\": \"go\"}, {\"effect\": \"pay\"}]",
        (scene, program, name, port) -> {
          var headers = Map.of("Idempotency-Key", "busy-" + name);
          var first =
              CompletableFuture.supplyAsync(() -> send(request(port, "/pay", "30", headers)));
          program.event("holds", "id", "busy-" + name);
          var second = post(port, "busy-" + name, "30");
          assertProblem(second, CONFLICT);
          assertThat(second.headers().firstValueAsLong("Retry-After").getAsLong()).isPositive();
          program.open("go");
          assertThat(first.get().statusCode()).isEqualTo(CREATED);
          assertThat(scene.effects()).containsOnlyOnce("busy-" + name);
        });
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a request without a key, or with one that is too long, then it gets 400")
  void badKeys(Kit kit) throws Exception {
    each(
        kit,
        "[{\"effect\": \"pay\"}]",
        (scene, program, name, port) -> {
          assertProblem(post(port, TOO_LONG, "30"), BAD_REQUEST);
          var keyless = request(port, "/pay", "30", Map.of());
          assertProblem(send(keyless), BAD_REQUEST);
          assertThat(scene.effects()).isEmpty();
        });
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a key with a byte above 0x7E or below 0x20, then the request gets 400, and its handler"
          + " does not run [black-box-F4, public-reports-F10]")
  void bytes(Kit kit) throws Exception {
    each(
        kit,
        "[{\"effect\": \"pay\"}]",
        (scene, program, name, port) -> {
          for (var key :
              List.of(
                  "\u00c3\u00a9-utf8", "\u00e9-latin1", "a\u007f", "a\u0080", "a\u0001b", "a\tb")) {
            assertThat(statusLine(port, key)).as("%s", key).matches("HTTP/1\\.[01] 400 .*");
          }
          assertThat(program.count("begins")).isZero();
          assertThat(statusLine(port, "a ~" + name)).matches("HTTP/1\\.[01] 201 .*");
        });
  }

  /** The first line of the response to a request whose key has these bytes, as Latin-1. */
  private static String statusLine(int port, String key) throws IOException {
    var head =
        String.format(
            Locale.ROOT,
            "POST /pay HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nContent-Length: 2\r\n"
                + "Idempotency-Key: %s\r\n\r\n30",
            port,
            key);
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
      var reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      return reader.readLine();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a handler that fails with 500, then the key is free, and the next request runs it")
  void serverFailures(Kit kit) throws Exception {
    each(
        kit,
        "[{\"effect\": \"try\"}, {\"status\": " + UNAVAILABLE + "}]",
        (scene, program, name, port) -> {
          var key = "fails-" + name;
          assertThat(post(port, key, "30").statusCode()).isEqualTo(UNAVAILABLE);
          assertThat(post(port, key, "30").statusCode()).isEqualTo(UNAVAILABLE);
          assertThat(scene.effects().stream().filter(key::equals)).containsExactly(key, key);
        });
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a server that refuses the operation, then the status says whose fault it is, and"
          + " nothing about the service")
  void refusals(Kit kit) throws Exception {
    var withoutKey = Map.of("HAPAX_TLS_CA", "", "HAPAX_API_KEY", "");
    try (var server = RefusingServer.start()) {
      each(
          kit,
          server.target(),
          withoutKey,
          "[{\"effect\": \"pay\"}]",
          (scene, program, name, port) -> {
            var statuses =
                Map.of(
                    RefusingServer.UNAUTHENTICATED, UNAVAILABLE,
                    RefusingServer.PERMISSION_DENIED, UNAVAILABLE,
                    RefusingServer.INVALID_FIELD, BAD_REQUEST,
                    RefusingServer.ACCOUNT_MISMATCH, INTERNAL_ERROR,
                    RefusingServer.FAILED_FOR_GOOD, CONFLICT);
            for (var expected : statuses.entrySet()) {
              var response = post(port, expected.getKey(), "30");
              assertProblem(response, expected.getValue());
              assertThat(response.body()).doesNotContain(RefusingServer.SECRET);
              assertThat(response.headers().firstValueAsLong("Retry-After").isPresent())
                  .as("%s", expected)
                  .isEqualTo(expected.getValue() == UNAVAILABLE);
            }
            assertThat(scene.effects()).isEmpty();
          });
    }
  }
}
