package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.console.view.Address;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Problem;
import dev.hapax.v1.ProblemKind;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import io.grpc.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleTest {
  private static final String RUN = "run_01k";
  private static final String RUN_PAGE = "/w/default/runs/" + RUN;
  private static final String CANCEL = RUN_PAGE + "/cancel";

  private final ConsoleFixture console = new ConsoleFixture();
  private final FakeApi api = console.api;
  private final AtomicLong changes = console.changes;
  private final Browser browser = console.browser;

  ConsoleTest() throws IOException {
    api.run = run(RunStatus.RUN_STATUS_RUNNING).build();
  }

  private static Run.Builder run(RunStatus status) {
    return Run.newBuilder()
        .setId(RUN)
        .setWorkspace("default")
        .setDefinition("order")
        .setStatus(status)
        .setVersion(3);
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/w/default/", "/w/default/runs", RUN_PAGE, CANCEL})
  @DisplayName(
      "given no authentication, when a page is opened, then it is shown with its protection")
  void pages(String path) {
    var answer = browser.get(path);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(answer.headers().map())
        .containsEntry("x-content-type-options", List.of("nosniff"))
        .containsEntry("referrer-policy", List.of("no-referrer"))
        .containsEntry("cross-origin-opener-policy", List.of("same-origin"))
        .containsEntry("cache-control", List.of("no-store"));
    assertThat(answer.headers().firstValue("Set-Cookie").orElse(""))
        .contains("HttpOnly", "SameSite=Strict");
    assertThat(answer.body()).doesNotContain("<script>", "style=", "onclick");
  }

  @Test
  @DisplayName("given / and a workspace, when opened, then the browser is sent to the overview")
  void redirects() {
    assertThat(browser.get("/").headers().firstValue("Location")).contains("/w/default/");
    assertThat(browser.get("/open?workspace=shop").headers().firstValue("Location"))
        .contains("/w/shop/");
  }

  @Test
  @DisplayName("given no such page, run or workspace, when opened, then a page says so with 404")
  void missing() {
    assertThat(browser.get("/w/default/nothing").statusCode()).isEqualTo(404);
    assertThat(browser.get("/w/NO_SUCH/runs").statusCode()).isEqualTo(404);
    var answer = browser.get("/w/default/runs/run_other");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("No run has the id run_other.");
  }

  @Test
  @DisplayName("given other methods, then HEAD has no body, and what is not offered is refused")
  void methods() {
    var head = browser.method("HEAD", RUN_PAGE);
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    var put = browser.method("PUT", RUN_PAGE);
    assertThat(put.statusCode()).isEqualTo(405);
    assertThat(put.headers().firstValue("Allow")).contains("GET, HEAD, POST");
    assertThat(browser.submit("/w/default/runs", Map.of()).statusCode()).isEqualTo(405);
  }

  @Test
  @DisplayName("given a form, when it is sent by its page, then its action is performed once")
  void action() {
    var answer = browser.submit(CANCEL, Map.of("reason", "wrong & late"));

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).contains(RUN_PAGE);
    assertThat(api.cancelled)
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getRunId()).isEqualTo(RUN);
              assertThat(request.getReason()).isEqualTo("wrong & late");
              assertThat(request.getActor()).isEqualTo("console");
            });
  }

  @Test
  @DisplayName("given a POST without token, of another session or site, then it is refused")
  void forged() {
    var token = browser.token(CANCEL);
    try (var other = new Browser(console.origin)) {
      var foreign = other.token(CANCEL);
      assertThat(List.of("", "x", foreign))
          .allSatisfy(
              each ->
                  assertThat(
                          browser
                              .post(CANCEL, each, Map.of(), "Sec-Fetch-Site", "same-origin")
                              .statusCode())
                      .isEqualTo(403));
    }
    assertThat(List.of("cross-site", "same-site", "none"))
        .allSatisfy(
            site ->
                assertThat(
                        browser.post(CANCEL, token, Map.of(), "Sec-Fetch-Site", site).statusCode())
                    .isEqualTo(403));
    assertThat(browser.post(CANCEL, token, Map.of(), "Origin", "http://evil.example").statusCode())
        .isEqualTo(403);
    assertThat(browser.post(CANCEL, token, Map.of()).statusCode()).as("no origin").isEqualTo(403);
    assertThat(api.cancelled).isEmpty();
    assertThat(
            browser
                .post(CANCEL, token, Map.of(), "Origin", "http://127.0.0.1:" + console.port())
                .statusCode())
        .isEqualTo(303);
  }

  @Test
  @DisplayName("given a name that is not the console's in Host, then the request is refused")
  void foreignHost() throws IOException {
    assertThat(statusLine("127.0.0.1:9999")).contains(" 200 ");
    assertThat(statusLine("evil.example")).contains(" 403 ");
    assertThat(statusLine("127.0.0.1.evil.example:7422")).contains(" 403 ");
  }

  /** The HTTP client of the JDK sets Host itself. */
  private String statusLine(String host) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), console.port())) {
      socket
          .getOutputStream()
          .write(
              "GET /w/default/ HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(host)
                  .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .findFirst()
          .orElse("");
    }
  }

  @Test
  @DisplayName("given markup in every text, when its run is shown, then it is text")
  void escaped() {
    var evil = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>${7*7}";
    api.run =
        run(RunStatus.RUN_STATUS_FAILED)
            .setDefinition(evil)
            .setCurrentStep(evil)
            .putLabels(evil, evil)
            .setInput(Payload.newBuilder().setJson("{\"a\":9223372036854775807,\"b\":1.10}"))
            .setFailure(Failure.newBuilder().setCode(evil).setMessage(evil))
            .build();
    api.why = List.of(evil);
    api.problems =
        List.of(
            Problem.newBuilder()
                .setKind(ProblemKind.PROBLEM_KIND_RUN_FAILED)
                .setName(evil)
                .setStep(evil)
                .setFailureCode(evil)
                .build());
    api.steps =
        List.of(
            Step.newBuilder()
                .setName(evil)
                .setStatus(StepStatus.STEP_STATUS_FAILED)
                .setWorkerId(evil)
                .setQueue(evil)
                .build());
    api.events =
        List.of(
            RunEvent.newBuilder()
                .setVersion(3)
                .setType(RunEventType.RUN_EVENT_TYPE_PAUSED)
                .setActor(evil)
                .setPrincipal(evil)
                .setPaused(RunEvent.Paused.newBuilder().setReason(evil))
                .build());

    for (var path :
        List.of("/w/default/", "/w/default/runs?definition=%22%3E%3Cimg%3E", RUN_PAGE)) {
      var body = browser.get(path).body();
      assertThat(body)
          .as(path)
          .contains("&lt;script&gt;alert(1)")
          .doesNotContain("<script>", "<img");
    }
    assertThat(browser.get(RUN_PAGE).body()).contains("9223372036854775807", "1.10");
  }

  @Test
  @DisplayName("given an after-effect, when its run is shown, then it leads to its entity")
  void afterEffect() {
    api.run =
        run(RunStatus.RUN_STATUS_COMPLETED)
            .putLabels("hapax.lifecycle", "invoice")
            .putLabels("hapax.entity", "2026/17")
            .build();
    assertThat(browser.get(RUN_PAGE).body())
        .contains("href=\"/w/default/entities/invoice/2026%2F17\"");
  }

  @Test
  @DisplayName(
      "given a history of more events than a page, when its run is shown, then the newest ones"
          + " with a way to the older ones")
  void longHistory() {
    history(450);

    assertThat(browser.get(RUN_PAGE).body())
        .contains(
            "version 450<", "version 251<", "href=\"" + RUN_PAGE + "?events=all&amp;before=251\"")
        .doesNotContain("version 250<");
    assertThat(browser.get(RUN_PAGE + "?before=251").body())
        .contains("version 250<", "version 51<", "?events=all&amp;before=51\"")
        .doesNotContain("version 251<", "version 50<");
    assertThat(browser.get(RUN_PAGE + "?before=51").body())
        .contains("version 50<", "version 1<")
        .doesNotContain("version 51<", "Older events");
  }

  @Test
  @DisplayName("given events so large that the API cuts pages, when a run is shown, then all are")
  void largeHistory() {
    history(450);
    api.cut = 60;

    assertThat(browser.get(RUN_PAGE).body())
        .contains("version 450<", "version 251<")
        .doesNotContain("version 250<");
    assertThat(browser.get(RUN_PAGE + "?before=51").body())
        .contains("version 50<", "version 1<")
        .doesNotContain("version 51<");
  }

  private void history(int events) {
    api.run = run(RunStatus.RUN_STATUS_PAUSED).setVersion(events).build();
    api.events =
        IntStream.rangeClosed(1, events)
            .mapToObj(
                version ->
                    RunEvent.newBuilder()
                        .setVersion(version)
                        .setType(RunEventType.RUN_EVENT_TYPE_PAUSED)
                        .setPaused(RunEvent.Paused.newBuilder().setReason("stock"))
                        .build())
            .toList();
  }

  @Test
  @DisplayName("given a filter in the address, when runs are listed, then the API is asked for it")
  void filter() {
    var body =
        browser
            .get("/w/shop/runs?status=FAILED&status=BOGUS&definition=order&label=a%3Db%3Dc")
            .body();

    var request = api.lists.getLast();
    assertThat(request.getWorkspace()).isEqualTo("shop");
    assertThat(request.getStatusesList()).containsExactly(RunStatus.RUN_STATUS_FAILED);
    assertThat(request.getDefinitionsList()).containsExactly("order");
    assertThat(request.getLabelsMap()).containsExactly(Map.entry("a", "b=c"));
    assertThat(body).contains("value=\"order\"", "value=\"a=b=c\"");
  }

  @Test
  @DisplayName("given no change, when a tab polls, then nothing is read until something changes")
  void unchanged() {
    var etag = browser.get(RUN_PAGE).headers().firstValue("ETag").orElseThrow();
    var before = api.reads.get();

    var same = browser.get(RUN_PAGE, "If-None-Match", etag);
    assertThat(same.statusCode()).isEqualTo(304);
    assertThat(api.reads).hasValue(before);

    changes.incrementAndGet();
    assertThat(browser.get(RUN_PAGE, "If-None-Match", etag).statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given authentication, when a page is opened, then a key must be presented first")
  void login() {
    api.authenticates = true;
    var first = browser.get(RUN_PAGE);
    assertThat(first.statusCode()).isEqualTo(303);
    var login = first.headers().firstValue("Location").orElseThrow();
    assertThat(login).isEqualTo("/login?next=%2Fw%2Fdefault%2Fruns%2Frun_01k");

    var refused = browser.submit(login, Map.of("credential", "wrong"));
    assertThat(refused.headers().firstValue("Location").orElse("")).contains("refused");
    assertThat(browser.get(RUN_PAGE).statusCode()).isEqualTo(303);

    var accepted = browser.submit(login, Map.of("credential", "viewer-key", "next", RUN_PAGE));
    assertThat(accepted.headers().firstValue("Location")).contains(RUN_PAGE);
    var page = browser.get(RUN_PAGE);
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("api-key:tester").doesNotContain("viewer-key");

    assertThat(
            browser
                .post("/logout", browser.token(RUN_PAGE), Map.of(), "Sec-Fetch-Site", "same-origin")
                .statusCode())
        .isEqualTo(303);
    assertThat(browser.get(RUN_PAGE).statusCode()).isEqualTo(303);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//evil.example/w/",
        "/\\evil.example",
        "/w/\\evil",
        "https://evil.example/w/",
        "javascript:alert(1)",
        "/w/default/\r\nSet-Cookie: a=b",
        "/w/\u00e9",
        ""
      })
  @DisplayName("given no page of the console as the next one, when logged in, then it is ignored")
  void openRedirect(String next) {
    api.authenticates = true;
    var answer = browser.submit("/login", Map.of("credential", "viewer-key", "next", next));
    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).contains("/");
    assertThat(browser.get("/login?next=" + Address.encoded(next)).headers().firstValue("Location"))
        .as("already logged in")
        .contains("/");
  }

  @Test
  @DisplayName("given a server that cannot say who visits, then a page has the reason, no login")
  void unidentified() {
    api.authenticates = true;
    var _ = browser.submit("/login", Map.of("credential", "viewer-key"));

    api.identification =
        Status.RESOURCE_EXHAUSTED.withDescription("server overloaded; retry after 50 ms");
    var limited = browser.get(RUN_PAGE);
    assertThat(limited.statusCode()).isEqualTo(429);
    assertThat(limited.body()).contains("Server overloaded; retry after 50 ms.");
    api.identification = Status.RESOURCE_EXHAUSTED.withDescription("api-key:tester calls too much");
    assertThat(browser.get(RUN_PAGE).body()).contains("<p>api-key:tester calls too much.</p>");
    api.identification = Status.UNAVAILABLE.withDescription("the server shuts down");
    assertThat(browser.get(RUN_PAGE).statusCode()).isEqualTo(503);
    assertThat(browser.get("/login").statusCode()).isEqualTo(503);

    api.identification = Status.OK;
    assertThat(browser.get(RUN_PAGE).statusCode()).as("the session lasts").isEqualTo(200);
  }

  @Test
  @DisplayName("given a visitor without a session, then the login is shown without a call")
  void noCall() {
    api.authenticates = true;
    console.needsLogin = true;
    assertThat(browser.get(RUN_PAGE).statusCode()).isEqualTo(303);
    assertThat(browser.get("/login").statusCode()).isEqualTo(200);
    assertThat(browser.get("/nothing").statusCode()).isEqualTo(303);
    assertThat(api.unknownCallers).hasValue(0);

    var wrong = browser.submit("/login", Map.of("credential", "wrong"));
    assertThat(wrong.headers().firstValue("Location").orElse("")).contains("refused");
    assertThat(api.unknownCallers).hasValue(1);
    var _ = browser.submit("/login", Map.of("credential", "viewer-key"));
    assertThat(browser.get(RUN_PAGE).statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given a session, when its key is revoked, then the session ends")
  void revoked() {
    api.authenticates = true;
    var _ = browser.submit("/login", Map.of("credential", "operator-key"));
    assertThat(browser.get(RUN_PAGE).statusCode()).isEqualTo(200);

    api.revoked.add("Bearer operator-key");
    assertThat(browser.get(RUN_PAGE).statusCode()).isEqualTo(303);
    api.revoked.clear();
    assertThat(browser.get(RUN_PAGE).statusCode()).as("the session is gone").isEqualTo(303);
  }

  @Test
  @DisplayName("given a viewer, then no button is shown, and a POST made by hand is refused")
  void viewer() {
    api.authenticates = true;
    var _ = browser.submit("/login", Map.of("credential", "viewer-key"));
    assertThat(browser.get(RUN_PAGE).body()).doesNotContain(CANCEL, RUN_PAGE + "/signal");

    var answer = browser.submit(CANCEL, Map.of());
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("The permission operate is missing.");
    assertThat(api.cancelled).isEmpty();
  }

  @Test
  @DisplayName("given an operator or an application, then each sees the buttons of its role")
  void roles() {
    api.authenticates = true;
    var _ = browser.submit("/login", Map.of("credential", "operator-key"));
    assertThat(browser.get(RUN_PAGE).body()).contains(CANCEL).doesNotContain(RUN_PAGE + "/signal");
    var _ =
        browser.post("/logout", browser.token(RUN_PAGE), Map.of(), "Sec-Fetch-Site", "same-origin");
    var _ = browser.submit("/login", Map.of("credential", "application-key"));
    assertThat(browser.get(RUN_PAGE).body()).contains(RUN_PAGE + "/signal").doesNotContain(CANCEL);
  }
}
