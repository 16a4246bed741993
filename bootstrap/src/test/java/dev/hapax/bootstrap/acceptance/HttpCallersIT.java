package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.ErrorInfo;
import dev.hapax.bootstrap.token.FakeIssuer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens and limits of callers by HTTP, as by gRPC. */
class HttpCallersIT {
  private static final String LIST_RUNS = "hapax.v1.RunService/ListRuns";

  private final FakeIssuer issuer;
  private final Path issuers;
  private final HttpClient http = HttpClient.newHttpClient();

  HttpCallersIT(@TempDir Path folder) throws Exception {
    issuer = new FakeIssuer();
    issuers =
        Files.writeString(
            folder.resolve("issuers.conf"),
            """
            issuer = %s
            jwks = %s/keys
            audience = %s
            claim groups = ops -> role=viewer workspace=eu
            """
                .formatted(issuer.url(), issuer.url(), FakeIssuer.AUDIENCE));
  }

  @AfterEach
  void close() {
    http.close();
    issuer.close();
  }

  private Deployment serve(int callsPerSecond) throws Exception {
    return Deployment.configured(
        "--authentication",
        "--token-issuers=" + issuers,
        "--http-listen=127.0.0.1:0",
        "--calls-per-second-per-principal=" + callsPerSecond);
  }

  private HttpResponse<String> call(
      Deployment deployment, String method, String token, String body) {
    var logged = deployment.server().awaitError(line -> line.contains("HTTP/JSON on "));
    var address = "http://%s/%s".formatted(logged.substring(logged.lastIndexOf(' ') + 1), method);
    var request =
        HttpRequest.newBuilder(URI.create(address))
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + token)
            .timeout(Duration.ofSeconds(30))
            .POST(BodyPublishers.ofString(body))
            .build();
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private String token(Deployment deployment) throws Exception {
    var token = issuer.sign(issuer.claims(Instant.now().plusSeconds(600)));
    Condition.await(
        "the issuer's keys are read",
        () -> call(deployment, LIST_RUNS, token, "{\"workspace\":\"eu\"}").statusCode() == 200);
    return token;
  }

  @Test
  @Tag("A5")
  @DisplayName(
      "given a token, when HTTP is called with it, then its claims decide as by gRPC, and an expired"
          + " or forged one is refused")
  void tokens() throws Exception {
    try (var deployment = serve(1_000)) {
      var token = token(deployment);

      assertThat(call(deployment, "hapax.v1.IdentityService/WhoAmI", token, "{}").body())
          .contains("PRINCIPAL_KIND_TOKEN", "\"alice\"");
      var other = call(deployment, LIST_RUNS, token, "{\"workspace\":\"us\"}");
      assertThat(other.statusCode()).isEqualTo(403);
      assertThat(other.body()).contains("\"permission_denied\"");

      var expired = issuer.sign(issuer.claims(Instant.now().minusSeconds(120)));
      var forged =
          FakeIssuer.sign(
              issuer.header(),
              issuer.claims(Instant.now().plusSeconds(600)),
              FakeIssuer.newKey("first"));
      for (var refused : new String[] {expired, forged}) {
        var answer = call(deployment, LIST_RUNS, refused, "{\"workspace\":\"eu\"}");
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).contains("\"unauthenticated\"");
      }
    }
  }

  @Test
  @Tag("A8")
  @DisplayName(
      "given a limit of calls per second, when a caller exceeds it by HTTP, then the status is 429"
          + " with the time to wait and the reason, and later calls are answered")
  void rateLimited() throws Exception {
    try (var deployment = serve(2)) {
      var token = token(deployment);
      var refused = new ArrayList<HttpResponse<String>>();
      Condition.await(
          "a call is refused",
          () -> {
            var answer = call(deployment, LIST_RUNS, token, "{\"workspace\":\"eu\"}");
            if (answer.statusCode() != 200) {
              refused.add(answer);
            }
            return !refused.isEmpty();
          });

      var answer = refused.getFirst();
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
      assertThat(answer.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
      var status = HttpCaller.status(answer.body());
      assertThat(status.getCode()).isEqualTo(com.google.rpc.Code.RESOURCE_EXHAUSTED.getNumber());
      assertThat(status.getDetailsList())
          .filteredOn(detail -> detail.is(ErrorInfo.class))
          .singleElement()
          .satisfies(
              detail ->
                  assertThat(detail.unpack(ErrorInfo.class).getReason()).isEqualTo("RATE_LIMITED"));
      assertThat(token(deployment)).isNotEmpty();
    }
  }
}
