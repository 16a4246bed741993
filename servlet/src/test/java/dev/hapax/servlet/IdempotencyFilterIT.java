package dev.hapax.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Observer.HttpOutcome;
import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scenarios of the kits' contract, in the container on the class path. */
@Timeout(60)
class IdempotencyFilterIT {

  private static final int CREATED = 201;
  private static final int BAD_REQUEST = 400;
  private static final int CONFLICT = 409;
  private static final int TOO_LARGE = 413;
  private static final int UNPROCESSABLE = 422;
  private static final int INTERNAL_ERROR = 500;
  private static final int UNAVAILABLE = 503;
  private static final String SECRET = "svc-secret";
  private static final int MAX_BODY = 4096;

  private static FilterScene scene;
  private static Handlers handlers;

  @BeforeAll
  static void start() throws Exception {
    scene =
        new FilterScene(
            settings ->
                settings
                    .maxBody(MAX_BODY)
                    .required(true)
                    .account(request -> request.getHeader("X-Account")));
    handlers = scene.handlers();
  }

  @AfterAll
  static void stop() throws Exception {
    scene.close();
  }

  @BeforeEach
  void forget() {
    var unused = scene.outcomes();
  }

  private static String replayed(HttpResponse<?> response) {
    return response.headers().firstValue("Idempotent-Replayed").orElse("");
  }

  private static void assertProblem(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).as("%s", response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(response.body()).contains("\"status\":" + status, "\"detail\":\"");
  }

  @Test
  @DisplayName("the tests run in the container that the build has chosen [clients-L7]")
  void container() {
    assertThat(scene.version().toLowerCase(Locale.ROOT))
        .contains(System.getProperty("hapax.container", "tomcat").split(" ", -1));
  }

  @Test
  @DisplayName(
      "given a response, when the request is sent again, then it is replayed; another request gets 422")
  void replays() {
    handlers.on(
        "/pay",
        (request, response) -> {
          response.setStatus(CREATED);
          response.setContentType("application/json");
          response.setHeader("Location", "/payments/7");
          response.addHeader("Set-Cookie", "inner=1");
          response.getOutputStream().print("{\"receipt\": " + request.getReader().readLine() + "}");
        });
    HttpResponse<String> first = scene.send(scene.post("/pay", "replays", "30"));
    assertThat(first.statusCode()).as("%s", first.body()).isEqualTo(CREATED);
    assertThat(first.body()).isEqualTo("{\"receipt\": 30}");
    assertThat(replayed(first)).isEmpty();

    HttpResponse<String> second = scene.send(scene.post("/pay", "replays", "30"));
    assertThat(second.statusCode()).isEqualTo(CREATED);
    assertThat(second.body()).isEqualTo(first.body());
    for (String header : List.of("Content-Type", "Location", "X-Outer", "Content-Length")) {
      assertThat(second.headers().allValues(header))
          .as(header)
          .isNotEmpty()
          .isEqualTo(first.headers().allValues(header));
    }
    assertThat(first.headers().allValues("Set-Cookie")).containsExactly("outer=1", "inner=1");
    assertThat(second.headers().allValues("Set-Cookie")).containsExactly("outer=1", "inner=1");
    assertThat(replayed(second)).isEqualTo("true");

    assertProblem(scene.send(scene.post("/pay", "replays", "31")), UNPROCESSABLE);
    assertProblem(scene.send(scene.post("/pay?twice=true", "replays", "30")), UNPROCESSABLE);
    assertThat(handlers.effects("/pay")).isEqualTo(1);
    assertThat(scene.outcomes())
        .containsExactly(
            HttpOutcome.EXECUTED,
            HttpOutcome.REPLAYED,
            HttpOutcome.KEY_REUSED,
            HttpOutcome.KEY_REUSED);
  }

  @Test
  @DisplayName(
      "given a request in progress, then another one with its key gets 409 and a time to wait")
  void inProgress() throws Exception {
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    handlers.on(
        "/busy",
        (request, response) -> {
          holds.countDown();
          go.await();
        });
    var first = scene.sendAsync(scene.post("/busy", "busy", "30"));
    holds.await();
    HttpResponse<String> second = scene.send(scene.post("/busy", "busy", "30"));
    assertProblem(second, CONFLICT);
    assertThat(second.headers().firstValueAsLong("Retry-After").getAsLong()).isPositive();
    go.countDown();
    assertThat(first.get().statusCode()).isEqualTo(200);
    assertThat(handlers.effects("/busy")).isEqualTo(1);
    assertThat(scene.outcomes()).containsExactly(HttpOutcome.IN_PROGRESS, HttpOutcome.EXECUTED);
  }

  @Test
  @DisplayName("given no key, two keys, or one that is none, then the request gets 400")
  void badKeys() throws Exception {
    handlers.on("/keys", (request, response) -> response.setStatus(CREATED));
    assertProblem(scene.send(scene.post("/keys", "k".repeat(256), "30")), BAD_REQUEST);
    assertProblem(
        scene.send(scene.request("/keys").POST(BodyPublishers.ofString("30")).build()),
        BAD_REQUEST);
    assertProblem(
        scene.send(
            scene
                .request("/keys")
                .header("Idempotency-Key", "one")
                .header("Idempotency-Key", "two")
                .POST(BodyPublishers.noBody())
                .build()),
        BAD_REQUEST);
    for (String key :
        List.of("\u00c3\u00a9-utf8", "\u00e9-latin1", "a\u007f", "a\u0080", "a\u0001b", "a\tb")) {
      assertThat(scene.firstLine(head("/keys", key, 2) + "30")).as(key).startsWith("HTTP/1.1 400");
    }
    assertThat(handlers.effects("/keys")).isZero();
    assertThat(scene.firstLine(head("/keys", "a ~", 2) + "30")).startsWith("HTTP/1.1 201");
  }

  private static String head(String path, String key, int length) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
        + length
        + "\r\nIdempotency-Key: "
        + key
        + "\r\n\r\n";
  }

  @Test
  @DisplayName("given a body that is too large, or does not arrive whole, then 413 or 400")
  void badBodies() throws Exception {
    handlers.on("/body", (request, response) -> response.setStatus(CREATED));
    String large = "x".repeat(MAX_BODY + 1);
    assertProblem(scene.send(scene.post("/body", "large", large)), TOO_LARGE);
    var chunked =
        scene
            .request("/body")
            .header("Idempotency-Key", "large")
            .POST(
                BodyPublishers.ofInputStream(
                    () -> new ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8))))
            .build();
    assertProblem(scene.send(chunked), TOO_LARGE);
    assertThat(scene.firstLine(head("/body", "short", 10) + "30")).doesNotContain(" 201");
    assertThat(handlers.effects("/body")).isZero();
    assertThat(scene.send(scene.post("/body", "fits", "x".repeat(MAX_BODY))).statusCode())
        .isEqualTo(CREATED);
  }

  @Test
  @DisplayName("given a path or an account that is no name, then 400")
  void badNames() {
    handlers.on("/account", (request, response) -> response.setStatus(CREATED));
    assertProblem(
        scene.send(scene.post("/account/" + "x".repeat(256), "names", "30")), BAD_REQUEST);
    var request =
        scene
            .request("/account")
            .header("Idempotency-Key", "names")
            .header("X-Account", "x".repeat(256))
            .POST(BodyPublishers.noBody());
    assertProblem(scene.send(request.build()), BAD_REQUEST);
    for (String account : List.of("ann", "bob", "ann")) {
      request.setHeader("X-Account", account);
      assertThat(scene.send(request.build()).statusCode()).isEqualTo(CREATED);
    }
    assertThat(handlers.effects("/account")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a path that is encoded in two ways, then they are two operations")
  void rawPath() {
    handlers.on("/A", (request, response) -> response.setStatus(CREATED));
    for (String path : List.of("/A", "/%41", "/%41")) {
      assertThat(scene.send(scene.post(path, "raw", "30")).statusCode()).isEqualTo(CREATED);
    }
    assertThat(handlers.effects("/A")).isEqualTo(2);
  }

  @Test
  @DisplayName("given another method, then the request passes untouched")
  void untouched() {
    handlers.on("/read", (request, response) -> response.getWriter().print("read"));
    for (int i = 0; i < 2; i++) {
      var get = scene.request("/read").header("Idempotency-Key", "read").GET().build();
      assertThat(scene.send(get).body()).isEqualTo("read");
    }
    assertThat(handlers.effects("/read")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a handler that fails, then the key is free, and the next request runs it")
  void failures() {
    handlers.on(
        "/fails",
        (request, response) -> {
          response.setStatus(UNAVAILABLE);
          response.getWriter().print("closed");
        });
    handlers.on(
        "/throws",
        (request, response) -> {
          response.getWriter().print("half");
          throw new IllegalStateException("no");
        });
    for (int i = 1; i <= 2; i++) {
      HttpResponse<String> failed = scene.send(scene.post("/fails", "fails", "30"));
      assertThat(failed.statusCode()).isEqualTo(UNAVAILABLE);
      assertThat(failed.body()).isEqualTo("closed");
      assertThat(handlers.effects("/fails")).isEqualTo(i);
      HttpResponse<String> thrown = scene.send(scene.post("/throws", "throws", "30"));
      assertThat(thrown.statusCode()).isEqualTo(INTERNAL_ERROR);
      assertThat(thrown.body()).doesNotStartWith("half");
      assertThat(handlers.effects("/throws")).isEqualTo(i);
      assertThat(scene.outcomes()).containsExactly(HttpOutcome.FAILED, HttpOutcome.FAILED);
    }
  }

  @Test
  @DisplayName("given sendError or sendRedirect, then a replay is the same")
  void errorsAndRedirects() {
    handlers.on("/missing", (request, response) -> response.sendError(404, "no such card"));
    handlers.on("/moved", (request, response) -> response.sendRedirect("there?x=1"));
    for (String path : List.of("/missing", "/moved")) {
      HttpResponse<String> first = scene.send(scene.post(path, "k", "30"));
      HttpResponse<String> second = scene.send(scene.post(path, "k", "30"));
      assertThat(second.statusCode()).isEqualTo(first.statusCode());
      assertThat(second.body()).isEqualTo(first.body());
      assertThat(second.headers().firstValue("Location"))
          .isEqualTo(first.headers().firstValue("Location"));
      assertThat(replayed(second)).isEqualTo("true");
      assertThat(handlers.effects(path)).isEqualTo(1);
      assertThat(first.statusCode()).isEqualTo(path.equals("/missing") ? 404 : 302);
    }
    assertThat(scene.send(scene.post("/moved", "k", "30")).headers().firstValue("Location"))
        .hasValueSatisfying(location -> assertThat(location).endsWith("/there?x=1"));
  }

  @Test
  @DisplayName("given a server that refuses, then the status says whose fault it is, and no more")
  void refusals() {
    handlers.on("/refused", (request, response) -> response.setStatus(CREATED));
    Map<StatusRuntimeException, Integer> statuses =
        Map.of(
            refused(Status.Code.UNAUTHENTICATED, ErrorReason.ERROR_REASON_UNSPECIFIED),
            UNAVAILABLE,
            refused(Status.Code.PERMISSION_DENIED, ErrorReason.ERROR_REASON_UNSPECIFIED),
            UNAVAILABLE,
            refused(Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD),
            BAD_REQUEST,
            refused(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ACCOUNT_MISMATCH),
            INTERNAL_ERROR);
    statuses.forEach(
        (refusal, status) -> {
          scene.refuse(refusal);
          HttpResponse<String> response;
          try {
            response = scene.send(scene.post("/refused", "refused", "30"));
          } finally {
            scene.refuse(null);
          }
          assertProblem(response, status);
          assertThat(response.body()).doesNotContain(SECRET);
          assertThat(response.headers().firstValueAsLong("Retry-After").isPresent())
              .isEqualTo(status == UNAVAILABLE);
        });
    assertThat(handlers.effects("/refused")).isZero();
    assertThat(scene.outcomes())
        .containsExactlyInAnyOrder(
            HttpOutcome.UNAVAILABLE,
            HttpOutcome.UNAVAILABLE,
            HttpOutcome.INVALID,
            HttpOutcome.MISCONFIGURED);
  }

  private static StatusRuntimeException refused(Status.Code code, ErrorReason reason) {
    return ErrorStatus.of(
        Error.newBuilder().setCode(code.value()).setReason(reason).setMessage(SECRET).build());
  }

  @Test
  @DisplayName(
      "given a holder that was killed or stood still, when its lease expires, then a duplicate runs,"
          + " and the late holder gets its response")
  void overtaken() throws Exception {
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    handlers.on(
        "/late",
        (request, response) -> {
          int run = runs.incrementAndGet();
          long fence = IdempotencyFilter.claim(request).orElseThrow().fence();
          if (run == 1) {
            holds.countDown();
            go.await();
          }
          response.setHeader("X-Run", String.valueOf(run));
          response.getWriter().print(fence);
        });
    var first = scene.sendAsync(scene.post("/late", "late", "30"));
    holds.await();
    scene.hapax().advancePastHolders(Duration.ofMinutes(2));
    HttpResponse<String> second = scene.send(scene.post("/late", "late", "30"));
    assertThat(second.headers().firstValue("X-Run")).contains("2");
    assertThat(replayed(second)).isEmpty();
    go.countDown();
    HttpResponse<String> late = first.get();
    assertThat(late.body()).isEqualTo(second.body());
    assertThat(late.headers().allValues("X-Run")).containsExactly("2");
    assertThat(replayed(late)).isEqualTo("true");
  }

  @Test
  @DisplayName("given a holder that was overtaken by one that still works, then it gets 409")
  void overtakenInProgress() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    List<CountDownLatch> go = List.of(new CountDownLatch(1), new CountDownLatch(1));
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch firstHolds = new CountDownLatch(1);
    handlers.on(
        "/lost",
        (request, response) -> {
          int run = runs.getAndIncrement();
          firstHolds.countDown();
          both.countDown();
          go.get(run).await();
          response.setHeader("X-Run", "own");
          response.setStatus(CREATED);
        });
    var first = scene.sendAsync(scene.post("/lost", "lost", "30"));
    firstHolds.await();
    scene.hapax().advancePastHolders(Duration.ofMinutes(2));
    var second = scene.sendAsync(scene.post("/lost", "lost", "30"));
    both.await();
    go.get(0).countDown();
    HttpResponse<String> lost = first.get();
    assertProblem(lost, CONFLICT);
    assertThat(lost.headers().firstValue("Retry-After")).isPresent();
    assertThat(lost.headers().firstValue("X-Run")).isEmpty();
    assertThat(lost.headers().firstValue("X-Outer")).contains("outer");
    go.get(1).countDown();
    assertThat(second.get().statusCode()).isEqualTo(CREATED);
  }
}
