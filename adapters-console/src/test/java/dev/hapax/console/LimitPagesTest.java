package dev.hapax.console;

import static dev.hapax.console.PreparedConsole.at;
import static dev.hapax.console.PreparedConsole.withMarkup;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.ExplainRunResponse;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.LimitServiceGrpc;
import dev.hapax.v1.LimitSetting;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.ListLimitsRequest;
import dev.hapax.v1.ListLimitsResponse;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.Role;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.SetLimitResponse;
import io.grpc.Status;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("turns-L9")
class LimitPagesTest {
  private static final String LIST = "/w/default/limits";
  private static final String SET = LIST + "/set";
  private static final String OF_VALUE = "?name=open%20ai&key=%20a%26b";

  private final PreparedConsole console = new PreparedConsole();

  LimitPagesTest() throws IOException {
    show(limits().build());
    console.api.answer(LimitServiceGrpc.getSetLimitMethod(), SetLimitResponse.getDefaultInstance());
  }

  private static ListLimitsResponse.Builder limits() {
    var now = Instant.now();
    return ListLimitsResponse.newBuilder()
        .addLimits(
            LimitState.newBuilder()
                .setName("open ai")
                .setKey(" a&b")
                .setMaxRunning(2)
                .setRunning(1)
                .setWaiting(10_000)
                .setOldestSince(at(now.minusSeconds(300)))
                .setSetting(
                    LimitSetting.newBuilder()
                        .setMaxRunning(2)
                        .setSetAt(at(now.minusSeconds(60)))
                        .setSetBy("anna")
                        .setSetByPrincipal("api-key:ops")
                        .setReason("provider is slow")))
        .addLimits(
            LimitState.newBuilder()
                .setName("plain")
                .setOfDefinitions(true)
                .setRunning(3)
                .setMaxStarts(60)
                .setPer(Duration.newBuilder().setSeconds(90)));
  }

  private void show(ListLimitsResponse limits) {
    console.api.answer(LimitServiceGrpc.getListLimitsMethod(), limits);
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  @DisplayName("given limits, when they are listed, then numbers, line and setting are shown")
  void list() {
    assertThat(console.read(LIST))
        .containsSubsequence(
            "open ai", "steps", "a&amp;b", " 2 1 10000+ 5 min ago", "anna (api-key:ops)", " ago")
        .containsSubsequence("provider is slow", "Set open ai", "Remove open ai")
        .containsSubsequence(
            "plain", "definitions", "no value", "60 in 90 s 3 0 ", "Set plain of definitions")
        .doesNotContain("Remove plain");
    assertThat(console.open(LIST))
        .contains("href=\"" + SET + "\"", "href=\"" + SET + "?of=definitions\"")
        .contains("href=\"" + SET + OF_VALUE.replace("&", "&amp;") + "\"")
        .contains("href=\"" + SET + "?name=plain&amp;of=definitions\"");

    show(ListLimitsResponse.getDefaultInstance());
    assertThat(console.read(LIST)).contains("No run has reached a limit");
    assertThat(console.read(LIST + "?name=x")).contains("No run has reached this limit");
  }

  @Test
  @DisplayName("given a name in the address, when limits are listed, then all pages are filtered")
  void filter() {
    show(limits().setNextPageToken("t2").build());
    assertThat(console.open(LIST + "?name=open%20ai&page=t1"))
        .contains(
            "value=\"open ai\"",
            "href=\"" + LIST + "?name=open%20ai\"",
            "href=\"" + LIST + "?name=open%20ai&amp;page=t2\"");
    assertThat(console.api.requests(ListLimitsRequest.class).getLast())
        .satisfies(
            request -> {
              assertThat(request.getName()).isEqualTo("open ai");
              assertThat(request.getPageToken()).isEqualTo("t1");
            });
  }

  @Test
  @DisplayName("given a viewer, when limits are listed, then there is no button")
  void viewer() {
    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_VIEWER);
    assertThat(console.open(LIST)).contains("open ai").doesNotContain(SET, LIST + "/remove");
  }

  private SetLimitRequest submitted(String path, Map<String, String> fields) {
    var answer = console.browser.submit(path, fields);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).contains(LIST + "?name=open%20ai");
    return console.api.requests(SetLimitRequest.class).getLast();
  }

  private static SetLimitRequest.Builder request() {
    return SetLimitRequest.newBuilder()
        .setWorkspace("default")
        .setName("open ai")
        .setActor("console");
  }

  @Test
  @DisplayName("given a listed value, when its number is set or removed, then it is that value's")
  void ofValue() {
    assertThat(console.read(SET + OF_VALUE))
        .contains("Set the number of open ai?", "For the value a&amp;b of its key.")
        .doesNotContain("Value of its key");
    assertThat(submitted(SET + OF_VALUE, Map.of("max_running", "2", "reason", "slow")))
        .isEqualTo(request().setKey(" a&b").setMaxRunning(2).setReason("slow").build());
    var rate = Map.of("max_starts", "60", "per", "90", "reason", "");
    assertThat(submitted(SET + OF_VALUE, rate))
        .isEqualTo(
            request()
                .setKey(" a&b")
                .setMaxStarts(60)
                .setPer(Duration.newBuilder().setSeconds(90))
                .build());
    assertThat(submitted(LIST + "/remove" + OF_VALUE, Map.of()))
        .isEqualTo(request().setKey(" a&b").setRemove(true).build());
  }

  @Test
  @DisplayName("given a limit of definitions, when its number is set, then that of steps stays")
  void ofDefinitions() {
    var of = OF_VALUE + "&of=definitions";
    assertThat(console.read(SET + of)).contains("This is the limit of definitions.");
    assertThat(submitted(SET + of, Map.of("max_running", "2")))
        .isEqualTo(request().setKey(" a&b").setOfDefinitions(true).setMaxRunning(2).build());
    assertThat(submitted(SET + "?of=definitions", Map.of("name", "open ai", "max_running", "7")))
        .isEqualTo(request().setOfDefinitions(true).setMaxRunning(7).build());
  }

  @Test
  @DisplayName("given a value of spaces, when its number is set, then not all values change")
  void blankValue() {
    assertThat(submitted(SET + "?name=open%20ai&key=%20", Map.of("max_running", "2")).getKey())
        .isEqualTo(" ");
    assertThat(console.read(SET + "?name=open%20ai")).contains("For all values without a number");
  }

  @Test
  @DisplayName("given no listed limit, when a number is set, then the form names limit and value")
  void named() {
    assertThat(console.read(SET)).contains("Set the number of a limit?", "Value of its key");
    var fields = Map.of("name", " open ai ", "key", "acme", "max_running", "7");
    assertThat(submitted(SET, fields)).isEqualTo(request().setKey("acme").setMaxRunning(7).build());
  }

  @Test
  @DisplayName("given a number that the server refuses, when it is set, then the page says why")
  void refused() {
    console.api.refuse(
        LimitServiceGrpc.getSetLimitMethod(),
        Status.INVALID_ARGUMENT.withDescription("max_running must be between 1 and 1000 (was 0)"));
    var answer = console.browser.submit(SET + OF_VALUE, Map.of("max_running", "many"));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("max_running must be between 1 and 1000");
    assertThat(console.api.requests(SetLimitRequest.class).getLast())
        .matches(request -> request.getMaxRunning() < 0);
  }

  private static RunEvent.Builder event(RunEventType type) {
    return RunEvent.newBuilder().setType(type);
  }

  private static ListRunEventsResponse.Builder events() {
    return ListRunEventsResponse.newBuilder()
        .addEvents(
            event(RunEventType.RUN_EVENT_TYPE_BLOCKED)
                .setVersion(2)
                .setBlocked(
                    RunEvent.Blocked.newBuilder()
                        .setTurn(17)
                        .setLimit("open ai")
                        .setLimitKey("acme")))
        .addEvents(
            event(RunEventType.RUN_EVENT_TYPE_ADMITTED)
                .setVersion(3)
                .setAdmitted(
                    RunEvent.Admitted.newBuilder()
                        .setTurn(17)
                        .setWaited(Duration.newBuilder().setSeconds(90))))
        .addEvents(
            event(RunEventType.RUN_EVENT_TYPE_BLOCKED)
                .setVersion(4)
                .setBlocked(RunEvent.Blocked.newBuilder().addFingerprints("f1")));
  }

  private void showRun(ExplainReason reason, ListRunEventsResponse events) {
    console.api.answer(
        RunServiceGrpc.getGetRunMethod(),
        GetRunResponse.newBuilder().setRun(Run.newBuilder().setId("run_1").setVersion(4)).build());
    console.api.answer(
        RunServiceGrpc.getExplainRunMethod(),
        ExplainRunResponse.newBuilder()
            .setReason(reason)
            .addSentences("Limit \"open ai\": 2 runs of 2 at the step, it is first in line.")
            .build());
    console.api.answer(RunServiceGrpc.getListStepsMethod(), ListStepsResponse.getDefaultInstance());
    console.api.answer(RunServiceGrpc.getListRunEventsMethod(), events);
  }

  @Test
  @DisplayName("given a run that waited at a limit, when it is shown, then limit and place are too")
  void run() {
    var why = "<p><a href=\"" + LIST + "\">";
    var page = "/w/default/runs/run_1";
    showRun(ExplainReason.EXPLAIN_REASON_LIMIT, events().build());
    assertThat(console.open(page)).contains(why, "href=\"" + LIST + "?name=open%20ai\"");
    assertThat(console.read(page))
        .contains("2 runs of 2 at the step, it is first in line.")
        .containsSubsequence(
            "History", "blocked ", "admitted after 90 s", "blocked at limit open ai of acme");

    showRun(ExplainReason.EXPLAIN_REASON_TURN, withMarkup(events().build()));
    assertThat(console.open(page)).doesNotContain(why);
    console.assertEscaped(page);
  }

  @Test
  @DisplayName("given markup in every text, when limits are shown, then it is text")
  void escaped() {
    show(withMarkup(limits().build()));
    console.assertEscaped(LIST);
    var markup = "%3Cscript%3Ealert(1)%3C/script%3E%3Cimg%20src=x%3E";
    console.assertEscaped(SET + "?name=" + markup + "&key=" + markup);
  }
}
