package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.ErrorInfo;
import dev.hapax.bootstrap.token.FakeIssuer;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens and limits of callers by HTTP, as by gRPC. */
@Tag("long")
class HttpCallersIT {
  private static final String LIST_RUNS = "hapax.v1.RunService/ListRuns";

  private final FakeIssuer issuer;
  private final Path issuers;
  private final HttpClient http = HttpClient.newHttpClient();

  HttpCallersIT(@TempDir Path folder) throws Exception {
    issuer = new FakeIssuer();
    issuers = issuer.configure(folder, "ops -> role=viewer workspace=eu");
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
    return HttpCaller.to(deployment.server(), http).as(token).call(method, body);
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
