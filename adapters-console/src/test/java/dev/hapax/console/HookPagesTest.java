package dev.hapax.console;

import static dev.hapax.console.PreparedConsole.at;
import static dev.hapax.console.PreparedConsole.withMarkup;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.Hook;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListClaimsResponse;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.Role;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;
import dev.hapax.v1.WaitingRun;
import io.grpc.Status;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HookPagesTest {
  private static final String LIST = "/w/default/hooks";
  private static final String TOKEN = "order:17";

  private final PreparedConsole console = new PreparedConsole();

  HookPagesTest() throws IOException {
    console.api.answer(
        EntityServiceGrpc.getListClaimsMethod(),
        ListClaimsResponse.newBuilder()
            .addClaims(
                HeldClaim.newBuilder()
                    .setKind(ClaimKind.CLAIM_KIND_RUN_AWAITING)
                    .setRunId("run_waiting"))
            .build());
    console.api.answer(
        RunServiceGrpc.getGetRunMethod(),
        GetRunResponse.newBuilder().setRun(Run.newBuilder().setId("run_1").setVersion(3)).build());
    console.api.answer(
        HookServiceGrpc.getSignalHookMethod(),
        SignalHookResponse.newBuilder()
            .setDisposition(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED)
            .setRunId("run_1")
            .build());
    show(hook().build());
    show(events());
  }

  private static Hook.Builder hook() {
    return Hook.newBuilder()
        .setRunId("run_1")
        .setStatus(RunStatus.RUN_STATUS_WAITING)
        .setCreatedAt(at(Instant.now().minusSeconds(300)))
        .setFingerprint("f1");
  }

  private static ListRunEventsResponse events() {
    return ListRunEventsResponse.newBuilder()
        .addEvents(
            RunEvent.newBuilder()
                .setVersion(1)
                .setHookCreated(
                    RunEvent.HookCreated.newBuilder()
                        .setFingerprint("f1")
                        .setSupersedes("run_before")))
        .addEvents(RunEvent.newBuilder().setVersion(2).setSignalReceived(signal("s-own", "f1")))
        .addEvents(RunEvent.newBuilder().setVersion(3).setSignalReceived(signal("s-other", "f2")))
        .build();
  }

  private static RunEvent.SignalReceived.Builder signal(String id, String hook) {
    return RunEvent.SignalReceived.newBuilder()
        .setSignal(
            Signal.newBuilder()
                .setSignalId(id)
                .setHook(hook)
                .setPayload(Payload.newBuilder().setJson("{\"a\":1}")));
  }

  private void show(Hook hook) {
    console.api.answer(
        HookServiceGrpc.getGetHookMethod(), GetHookResponse.newBuilder().setHook(hook).build());
  }

  private void show(ListRunEventsResponse events) {
    console.api.answer(RunServiceGrpc.getListRunEventsMethod(), events);
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  @DisplayName("given runs that wait for a signal, when hooks are opened, then they are listed")
  void waiting() {
    assertThat(console.open(LIST)).contains("href=\"/w/default/runs/run_waiting\"");
    assertThat(console.api.requests(ListClaimsRequest.class).getFirst().getKindsList())
        .containsExactly(ClaimKind.CLAIM_KIND_RUN_AWAITING);

    console.api.answer(
        EntityServiceGrpc.getListClaimsMethod(), ListClaimsResponse.getDefaultInstance());
    assertThat(console.read(LIST)).contains("No run on this page waits for a signal");
  }

  @Test
  @DisplayName("given a token, when it is searched, then its owner, rivals and signals are shown")
  void found() {
    var answer = console.browser.submit(LIST, Map.of("token", TOKEN));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("href=\"/w/default/runs/run_1\"", "href=\"/w/default/runs/run_before\"")
        .contains("owns the token since", "s-own")
        .doesNotContain("s-other", "href=\"/w/default/hooks/" + TOKEN);
  }

  @Test
  @DisplayName("given a token, when a signal is sent, then the page says what became of it")
  void signal() {
    var answer =
        console.browser.post(
            LIST + "/signal",
            console.browser.token(LIST),
            Map.of("token", TOKEN, "once", "n1", "type", "paid", "payload", "{\"eur\":5}"),
            "Sec-Fetch-Site",
            "same-origin");

    assertThat(answer.body())
        .contains("The signal was delivered", "href=\"/w/default/runs/run_1\"");
    assertThat(console.api.requests(GetHookRequest.class)).as("the run may be over").isEmpty();
    assertThat(console.api.requests(SignalHookRequest.class))
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getToken()).isEqualTo(TOKEN);
              assertThat(request.getSignal().getSignalId()).isEqualTo("n1");
              assertThat(request.getSignal().getType()).isEqualTo("paid");
              assertThat(request.getSignal().getPayload().getJson()).isEqualTo("{\"eur\":5}");
            });
  }

  @Test
  @DisplayName("given an ended hook or a viewer, when it is shown, then no signal can be sent")
  void noSignal() {
    var form = "action=\"/w/default/hooks/signal\"";
    assertThat(console.browser.submit(LIST, Map.of("token", TOKEN)).body()).contains(form);

    show(hook().setEndedAt(at(Instant.now())).build());
    assertThat(console.browser.submit(LIST, Map.of("token", TOKEN)).body())
        .contains("gave it up or ended")
        .doesNotContain(form);

    show(hook().build());
    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_VIEWER);
    assertThat(console.browser.submit(LIST, Map.of("token", TOKEN)).body()).doesNotContain(form);
  }

  private static GetHookResponse.Builder line(String... runs) {
    var line = GetHookResponse.newBuilder();
    for (var run : runs) {
      line.addWaiting(
          WaitingRun.newBuilder().setRunId(run).setSince(at(Instant.now().minusSeconds(60))));
    }
    return line;
  }

  private String found(GetHookResponse.Builder token) {
    console.api.answer(HookServiceGrpc.getGetHookMethod(), token.build());
    return console.browser.submit(LIST, Map.of("token", TOKEN)).body();
  }

  @Test
  @DisplayName("given runs in line, when the hook is shown, then they can be cancelled")
  void inLine() {
    var cancel = "href=\"/w/default/runs/run_3/cancel\"";
    assertThat(found(line("run_2", "run_3").setHook(hook().setWaiting(5))))
        .contains("owns the token since", "Runs in line", "3 more wait behind them")
        .containsSubsequence(
            "href=\"/w/default/runs/run_2\"", "href=\"/w/default/runs/run_3\"", cancel);
    assertThat(found(line("run_1", "run_3")))
        .contains("No run owns the token.", "is first in line since")
        .doesNotContain("owns the token since", "more wait behind");
    assertThat(found(line().setHook(hook()))).doesNotContain("Runs in line");

    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_VIEWER);
    assertThat(found(line("run_2", "run_3").setHook(hook())))
        .contains("Runs in line", "href=\"/w/default/runs/run_3\"")
        .doesNotContain(cancel, "Verbs");
  }

  @Test
  @DisplayName("given a token without owner, when it is searched, then the page says so")
  void missing() {
    console.api.refuse(
        HookServiceGrpc.getGetHookMethod(),
        Status.NOT_FOUND.withDescription("no run owns the token"));

    var answer = console.browser.submit(LIST, Map.of("token", TOKEN));

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("No run owns the token.");
  }

  @Test
  @DisplayName("given markup in every text, when hooks are shown, then it is text")
  void escaped() {
    console.api.answer(
        HookServiceGrpc.getGetHookMethod(), withMarkup(line("run_2").setHook(hook()).build()));
    show(withMarkup(events()));
    console.api.answer(
        EntityServiceGrpc.getListClaimsMethod(),
        withMarkup(
            ListClaimsResponse.newBuilder()
                .addClaims(HeldClaim.newBuilder().setRunId("x"))
                .build()));

    console.assertEscaped(LIST);
    assertThat(console.browser.submit(LIST, Map.of("token", PreparedConsole.MARKUP)).body())
        .contains("&lt;script&gt;alert(1)")
        .doesNotContain("<script>", "<img");
  }
}
