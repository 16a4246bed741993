package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BulkTest {
  private static final String CANCEL = "/w/default/bulk/cancel";
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Pattern HIDDEN =
      Pattern.compile("type=\"hidden\" name=\"(shown|until|once)\" value=\"([^\"]+)\"");

  private final ConsoleFixture console = new ConsoleFixture();
  private final FakeApi api = console.api;
  private final Browser browser = console.browser;

  BulkTest() throws IOException {
    api.run = run("run_0");
    for (int i = 1; i < 30; i++) {
      api.others.add(run("run_" + i));
    }
  }

  private static Run run(String id) {
    return Run.newBuilder()
        .setId(id)
        .setWorkspace("default")
        .setStatus(RunStatus.RUN_STATUS_RUNNING)
        .build();
  }

  @AfterEach
  void stop() {
    api.gate.countDown();
    console.close();
  }

  /** The fields of the form as the page has them, with this count. */
  private Map<String, String> form(String count) {
    var fields = new HashMap<>(Map.of("count", count, "reason", "too many"));
    var matcher = HIDDEN.matcher(browser.get(CANCEL).body());
    while (matcher.find()) {
      fields.put(matcher.group(1), matcher.group(2));
    }
    return fields;
  }

  private String start(Map<String, String> form) {
    return browser.submit(CANCEL, form).headers().firstValue("Location").orElseThrow();
  }

  private void awaitText(String page, String text) {
    var deadline = Instant.now().plus(TIMEOUT);
    var body = "";
    while (!body.contains(text) && Instant.now().isBefore(deadline)) {
      body = browser.get(page).body();
    }
    assertThat(body).contains(text);
  }

  @Test
  @DisplayName("given a filter, when its runs are cancelled, then each is, and progress is shown")
  void changesAll() {
    assertThat(browser.get("/w/default/runs?definition=order").body())
        .contains("href=\"/w/default/bulk/cancel?definition=order\"");
    api.gate = new CountDownLatch(1);
    var progress = start(form("30"));

    assertThat(progress).startsWith("/w/default/bulk/job/");
    assertThat(browser.get(progress).body()).contains("<b>0</b> of 30 runs changed");
    api.gate.countDown();
    awaitText(progress, "All runs have been tried.");
    assertThat(browser.get(progress).body()).contains("<b>30</b> of 30 runs changed");
    assertThat(api.cancelled).extracting(CancelRunRequest::getRunId).doesNotHaveDuplicates();
    assertThat(api.cancelled)
        .hasSize(30)
        .allSatisfy(request -> assertThat(request.getReason()).isEqualTo("too many"));
    assertThat(api.lists.getLast().getStatusesList())
        .containsExactlyInAnyOrder(
            RunStatus.RUN_STATUS_PENDING,
            RunStatus.RUN_STATUS_RUNNING,
            RunStatus.RUN_STATUS_WAITING,
            RunStatus.RUN_STATUS_PAUSED);
  }

  @Test
  @DisplayName("given a page that shows progress, when a tab polls it, then it is made anew")
  void progressIsFresh() {
    var progress = start(form("30"));
    var etag = browser.get(progress).headers().firstValue("ETag").orElseThrow();
    assertThat(browser.get(progress, "If-None-Match", etag).statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("given a wrong number, none, or more runs than shown, then nothing is done")
  void unconfirmed() {
    for (var count : List.of("", "29", "all", "99999999999")) {
      var answer = browser.submit(CANCEL, form(count));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("Nothing was done");
    }
    var confirmed = form("30");
    api.others.add(run("run_30"));
    assertThat(browser.submit(CANCEL, confirmed).body()).contains("more runs match now");
    assertThat(browser.submit(CANCEL, Map.of("count", "30")).body()).contains("incomplete");
    assertThat(api.cancelled).isEmpty();
  }

  @Test
  @DisplayName("given a filter of a status that cannot be cancelled, then no run is selected")
  void impossible() {
    assertThat(browser.get("/w/default/runs?status=COMPLETED").body()).doesNotContain(CANCEL);
    var page = browser.get(CANCEL + "?status=COMPLETED");
    assertThat(page.body()).contains("Cancel 0 runs?").doesNotContain("name=\"count\"");
    assertThat(api.lists).noneMatch(request -> request.hasCreatedBefore());
  }

  @Test
  @DisplayName("given a form that is sent twice, then its runs are changed once")
  void twice() {
    var form = form("30");
    var progress = start(form);
    awaitText(progress, "All runs have been tried.");
    assertThat(start(form)).isEqualTo(progress);
    assertThat(api.cancelled).hasSize(30);
  }

  @Test
  @DisplayName("given a run that cannot be changed, then it is listed, and the others are changed")
  void rejected() {
    api.refusals.put("run_7", Status.FAILED_PRECONDITION.withDescription("run_7 is COMPLETED"));
    var progress = start(form("30"));
    awaitText(progress, "All runs have been tried.");
    assertThat(browser.get(progress).body())
        .contains("<b>29</b> of 30", "<b>1</b> rejected", "run_7 is COMPLETED.");
  }

  @Test
  @DisplayName("given an error that is not of a run, then the job ends and says why")
  void failed() {
    api.refusals.put("run_7", Status.UNAUTHENTICATED.withDescription("the key is revoked"));
    var progress = start(form("30"));
    awaitText(progress, "It ended before all runs were tried. The key is revoked.");
  }

  @Test
  @DisplayName("given an overloaded server, then a change is sent again until it is accepted")
  void retried() {
    api.refusals.put("run_7", Status.RESOURCE_EXHAUSTED.withDescription("server overloaded"));
    var progress = start(form("30"));
    awaitText(progress, "<b>29</b> of 30");
    api.refusals.clear();
    awaitText(progress, "<b>30</b> of 30");
  }

  @Test
  @DisplayName("given another principal, then it does not see the job")
  void foreign() {
    api.authenticates = true;
    var _ = browser.submit("/login", Map.of("credential", "operator-key"));
    var progress = start(form("30"));
    assertThat(browser.get(progress).statusCode()).isEqualTo(200);
    assertThat(browser.get("/w/default/bulk/job/other").statusCode()).isEqualTo(404);
    api.principal = "another";
    assertThat(browser.get(progress).statusCode()).isEqualTo(404);
  }

  @Test
  @DisplayName("given a viewer, then the list offers no change")
  void viewer() {
    api.authenticates = true;
    var _ = browser.submit("/login", Map.of("credential", "viewer-key"));
    assertThat(browser.get("/w/default/runs").body()).doesNotContain("/bulk/");
  }
}
