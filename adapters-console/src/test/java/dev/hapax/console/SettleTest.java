package dev.hapax.console;

import static dev.hapax.console.PreparedConsole.at;
import static dev.hapax.console.PreparedConsole.withMarkup;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ExplainRunResponse;
import dev.hapax.v1.Failure;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListClaimsResponse;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.Role;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SettleStepResponse;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import io.grpc.Status;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SettleTest {
  private static final String PAGE = "/w/default/runs/run_1";
  private static final String SETTLE = PAGE + "/settle";
  private static final String OF_PART = SETTLE + "?step=main&part=pay%231";

  private static final Map<String, String> SENT =
      Map.of(
          "step", "main",
          "part", "pay#1",
          "version", "7",
          "once", "o-1",
          "verdict", "complete",
          "reason", "<script>",
          "output", "</textarea>",
          "code", "GONE");

  private final PreparedConsole console = new PreparedConsole();
  private final Instant now = Instant.now();

  SettleTest() throws IOException {
    console.api.answer(
        RunServiceGrpc.getExplainRunMethod(), ExplainRunResponse.getDefaultInstance());
    console.api.answer(
        RunServiceGrpc.getListRunEventsMethod(), ListRunEventsResponse.getDefaultInstance());
    console.api.answer(
        RunServiceGrpc.getSettleStepMethod(), SettleStepResponse.getDefaultInstance());
    show(failed("pay#1"), step(StepStatus.STEP_STATUS_FAILED), part("pay#1"));
  }

  private static Run.Builder run(RunStatus status) {
    return Run.newBuilder()
        .setId("run_1")
        .setWorkspace("default")
        .setDefinition("order")
        .setStatus(status)
        .setVersion(9)
        .setCurrentStep("main");
  }

  private static Run failed(String part) {
    return run(RunStatus.RUN_STATUS_FAILED)
        .setFailure(Failure.newBuilder().setCode("UNKNOWN_EFFECT").setMessage("lost").setPart(part))
        .build();
  }

  private static Step step(StepStatus status) {
    return Step.newBuilder().setName("main").setStatus(status).setQueue("orders").build();
  }

  /** A part that has begun. */
  private static Step part(String name) {
    return Step.newBuilder()
        .setName(name)
        .setRecordedBy("main")
        .setId("step_1/" + name)
        .setWorkerId("worker-7")
        .setStatus(StepStatus.STEP_STATUS_RUNNING)
        .setAttempt(3)
        .build();
  }

  private void show(Run run, Step... steps) {
    console.api.answer(
        RunServiceGrpc.getGetRunMethod(), GetRunResponse.newBuilder().setRun(run).build());
    console.api.answer(
        RunServiceGrpc.getListStepsMethod(),
        ListStepsResponse.newBuilder().addAllSteps(List.of(steps)).build());
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  @DisplayName("given parts without a result, when their run is shown, then with state and failure")
  void parts() {
    var retrying =
        part("ask").toBuilder()
            .setDueAt(at(now.plusSeconds(3_600)))
            .setFailure(Failure.newBuilder().setCode("BUSY").setStack("at ask\nat main"))
            .build();
    show(run(RunStatus.RUN_STATUS_WAITING).build(), part("pay"), retrying);

    assertThat(console.read(PAGE)).contains("pay ▶ BEGUN 3", "ask ◔ RETRY 3", "BUSY in 59 min");
    assertThat(console.open(PAGE)).contains(">at ask\nat main</pre>");
  }

  @Test
  @DisplayName("given a run that a part failed, when it is shown, then its form is offered")
  void offered() {
    assertThat(console.open(PAGE))
        .contains(
            "href=\"" + SETTLE + "?step=main&amp;part=pay%231\">Settle</a>",
            "href=\"" + SETTLE + "?step=main\">Settle<span class=\"hidden\"> main</span>",
            "href=\"" + SETTLE + "?step=main&amp;part=pay%231\">Settle<span");
  }

  @Test
  @DisplayName("given a part whose failure the code handled, then no form is offered for it")
  void handled() {
    var caught = part("caught").toBuilder().setStatus(StepStatus.STEP_STATUS_FAILED).build();
    show(failed(""), step(StepStatus.STEP_STATUS_FAILED), caught);

    assertThat(console.open(PAGE)).contains(SETTLE + "?step=main\"").doesNotContain("part=caught");
  }

  @Test
  @DisplayName("given a worker that holds the step, or another step, then no form is offered")
  void held() {
    var lease = at(now.plusSeconds(30));
    show(
        run(RunStatus.RUN_STATUS_RUNNING).build(),
        step(StepStatus.STEP_STATUS_RUNNING).toBuilder().setLeaseUntil(lease).build(),
        part("pay"));
    assertThat(console.open(PAGE)).doesNotContain(SETTLE);

    show(run(RunStatus.RUN_STATUS_WAITING).setCurrentStep("next").build(), part("pay"));
    assertThat(console.open(PAGE)).doesNotContain(SETTLE);
  }

  @Test
  @DisplayName("given a step that outlived its lease and runs at most once, then a form is offered")
  void inDoubt() {
    show(
        run(RunStatus.RUN_STATUS_RUNNING).build(),
        step(StepStatus.STEP_STATUS_RUNNING).toBuilder().setInDoubt(true).build());

    assertThat(console.read(PAGE)).contains("IN DOUBT");
    assertThat(console.open(PAGE))
        .contains(
            "href=\"" + SETTLE + "?step=main\">Settle</a>",
            "href=\"" + SETTLE + "?step=main\">Settle<span class=\"hidden\"> main</span>");
  }

  @Test
  @DisplayName("given a viewer, then no form is offered")
  void viewer() {
    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_VIEWER);
    assertThat(console.open(PAGE)).doesNotContain(SETTLE);
    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_OPERATOR);
    assertThat(console.open(PAGE)).contains(SETTLE);
  }

  @Test
  @DisplayName("given the form of a part, then it requires evidence, and offers no skip")
  void form() {
    assertThat(console.open(OF_PART))
        .contains(
            "<input name=\"reason\" value=\"\" required",
            "name=\"part\" value=\"pay#1\"",
            "name=\"version\" value=\"9\"",
            ">step_1/pay#1</code>",
            "<b>worker-7</b>",
            "value=\"complete\">It happened: complete<",
            "value=\"repeat\">It did not happen: repeat<",
            "value=\"fail\">Fail<")
        .doesNotContain("value=\"skip\"", "Settle only the part");
    assertThat(console.open(SETTLE)).contains("name=\"step\" value=\"main\"", "value=\"skip\"");
    assertThat(console.open(SETTLE))
        .contains("<a href=\"" + OF_PART.replace("&", "&amp;") + "\">Settle only the part");
    show(failed(""), step(StepStatus.STEP_STATUS_FAILED));
    assertThat(console.open(SETTLE)).doesNotContain("Settle only the part");
  }

  private SettleStepRequest settle(Map<String, String> fields) {
    var answer = console.browser.submit(OF_PART, fields);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).contains(PAGE);
    return console.api.requests(SettleStepRequest.class).getLast();
  }

  @Test
  @DisplayName("given a verdict, when its button is pressed, then it is sent with the evidence")
  void settles() {
    var common =
        Map.of(
            "step", "main", "part", "pay#1", "version", "9", "once", "o-1", "reason", "ticket 81");
    var completed = settle(with(common, Map.of("verdict", "complete", "output", "{\"r\":7}")));

    assertThat(completed)
        .isEqualTo(
            SettleStepRequest.newBuilder()
                .setWorkspace("default")
                .setRunId("run_1")
                .setStepName("main")
                .setPart("pay#1")
                .setReason("ticket 81")
                .setActor("console")
                .setRequestId("o-1")
                .setExpectedVersion(9)
                .setComplete(completed.getComplete())
                .build());
    assertThat(completed.getComplete().getOutput().getJson()).isEqualTo("{\"r\":7}");
    assertThat(settle(with(common, Map.of("verdict", "complete"))).getComplete().hasOutput())
        .isFalse();
    assertThat(settle(with(common, Map.of("verdict", "repeat", "output", "1"))).hasRepeat())
        .isTrue();
    assertThat(settle(with(common, Map.of("verdict", "skip"))).hasSkip()).isTrue();
    assertThat(
            settle(with(common, Map.of("verdict", "fail", "code", "DECLINED", "message", "no")))
                .getFail())
        .isEqualTo(Failure.newBuilder().setCode("DECLINED").setMessage("no").build());
  }

  private static Map<String, String> with(Map<String, String> all, Map<String, String> more) {
    var fields = new HashMap<>(all);
    fields.putAll(more);
    return fields;
  }

  @Test
  @DisplayName("given a refusal of the server, then the page shows its message")
  void refused() {
    console.api.refuse(
        RunServiceGrpc.getSettleStepMethod(),
        Status.FAILED_PRECONDITION.withDescription("worker \"w\" holds the step"));

    var answer = console.browser.submit(OF_PART, Map.of("verdict", "repeat"));

    assertThat(answer.statusCode()).isGreaterThanOrEqualTo(400);
    assertThat(answer.body()).contains("Nothing was changed. Worker", "holds the step");
  }

  @Test
  @DisplayName("given a wrong field, then the form names it, and keeps what was sent")
  void invalid() {
    console.api.refuse(
        RunServiceGrpc.getSettleStepMethod(),
        Status.INVALID_ARGUMENT.withDescription("complete.output.json is not JSON"));
    var answer = console.browser.submit(OF_PART, SENT);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains(
            "role=\"alert\">Nothing was changed. Output is not JSON.<",
            "name=\"once\" value=\"o-1\"",
            "name=\"version\" value=\"7\"",
            "name=\"reason\" value=\"&lt;script>\"",
            ">&lt;/textarea&gt;</textarea>",
            "name=\"code\" value=\"GONE\"",
            "<details open>");
  }

  @Test
  @DisplayName("given a run that has changed, then the form is about its new version")
  void outdated() {
    console.api.refuse(RunServiceGrpc.getSettleStepMethod(), Status.ABORTED);
    var answer = console.browser.submit(OF_PART, SENT);

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body())
        .contains("the run has changed since you opened", "name=\"version\" value=\"9\"");
  }

  @Test
  @DisplayName("given no answer, then the form can be sent again with the same id")
  void unanswered() {
    console.api.refuse(RunServiceGrpc.getSettleStepMethod(), Status.UNAVAILABLE);
    var answer = console.browser.submit(OF_PART, SENT);

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body())
        .contains("Press the same button again", "name=\"once\" value=\"o-1\"")
        .doesNotContain("Nothing was changed");
  }

  @Test
  @DisplayName("given a step in doubt, when claims are listed, then it leads to its run")
  void claims() {
    console.api.answer(
        EntityServiceGrpc.getListClaimsMethod(),
        ListClaimsResponse.newBuilder()
            .addClaims(
                HeldClaim.newBuilder()
                    .setKind(ClaimKind.CLAIM_KIND_STEP_IN_DOUBT)
                    .setFreedBy("SettleStep")
                    .setRunId("run_1"))
            .build());

    assertThat(console.open("/w/default/claims?kind=step+in+doubt"))
        .contains("href=\"" + PAGE + "\"", "<td>step in doubt</td>", "<td>SettleStep</td>");
    assertThat(console.api.requests(ListClaimsRequest.class).getLast().getKindsList())
        .containsExactly(ClaimKind.CLAIM_KIND_STEP_IN_DOUBT);
  }

  @Test
  @DisplayName("given markup in every text, when the form is shown, then it is text")
  void escaped() {
    show(withMarkup(failed("pay")), withMarkup(part("pay")));
    console.assertEscaped(SETTLE);
    console.assertEscaped(PAGE);
  }
}
