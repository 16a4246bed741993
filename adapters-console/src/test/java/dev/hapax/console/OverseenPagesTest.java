package dev.hapax.console;

import static dev.hapax.console.PreparedConsole.at;
import static dev.hapax.console.PreparedConsole.withMarkup;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.Definition;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetDefinitionResponse;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListClaimsResponse;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListDefinitionsResponse;
import dev.hapax.v1.ListJanitorsResponse;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.ListQueuesResponse;
import dev.hapax.v1.ListWorkersRequest;
import dev.hapax.v1.ListWorkersResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.Operation;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.Role;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.TimerStep;
import dev.hapax.v1.WorkerState;
import io.grpc.Status;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The pages of claims, janitors, queues and definitions. */
class OverseenPagesTest {
  private static final String CLAIMS = "/w/default/claims";
  private static final String JANITORS = "/w/default/janitors";
  private static final String BILLING = JANITORS + "/billing";
  private static final String SWEEP = BILLING + "/sweep";
  private static final String QUEUES = "/w/default/queues";
  private static final String DEFINITIONS = "/w/default/definitions";
  private static final String ORDER = DEFINITIONS + "/order/v%2F2";

  private final PreparedConsole console = new PreparedConsole();

  OverseenPagesTest() throws IOException {
    show(claims());
    show(janitor(JanitorMode.JANITOR_MODE_HOSTED).build());
    show(queues(), workers());
    show(definition());
    console.api.answer(
        JanitorServiceGrpc.getSweepMethod(), SweepResponse.newBuilder().setFreed(3).build());
  }

  private static ListClaimsResponse claims() {
    return ListClaimsResponse.newBuilder()
        .addClaims(
            HeldClaim.newBuilder()
                .setKind(ClaimKind.CLAIM_KIND_ENTITY_CLAIMED)
                .setFreedBy("the janitor of billing")
                .setEntity(
                    Entity.newBuilder()
                        .setWorkspace("default")
                        .setLifecycle("billing")
                        .setId("i/1")))
        .addClaims(
            HeldClaim.newBuilder()
                .setKind(ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE)
                .setOperation(
                    Operation.newBuilder()
                        .setWorkspace("default")
                        .setOperation("Place")
                        .setRequestId("r1")))
        .addClaims(
            HeldClaim.newBuilder().setKind(ClaimKind.CLAIM_KIND_RUN_FAILED).setRunId("run_1"))
        .build();
  }

  private static Janitor.Builder janitor(JanitorMode mode) {
    return Janitor.newBuilder()
        .setWorkspace("default")
        .setModule("billing")
        .setContract(JanitorContract.newBuilder().setModule("billing").setMode(mode))
        .setLastSweep(at(Instant.now().minusSeconds(300)))
        .setLastFreed(2)
        .addCoverage(
            Janitor.Coverage.newBuilder()
                .setLifecycle("billing")
                .setClaimState("closing")
                .setCovered(true));
  }

  private static QueueState queues() {
    return QueueState.newBuilder()
        .setQueue("email")
        .setReady(7)
        .setOldestReadyAt(at(Instant.now().minusSeconds(300)))
        .build();
  }

  private static WorkerState workers() {
    return WorkerState.newBuilder().setWorkerId("w-1").addQueues("email").setHeld(4).build();
  }

  private static Definition definition() {
    return Definition.newBuilder()
        .setWorkspace("default")
        .setName("order")
        .setVersion("v/2")
        .setReason("faster")
        .addSteps(
            StepDefinition.newBuilder()
                .setName("charge")
                .setTask(TaskStep.newBuilder().setQueue("payments").setLease(seconds(45))))
        .addSteps(
            StepDefinition.newBuilder()
                .setName("cool-off")
                .setTimer(TimerStep.newBuilder().setDuration(seconds(90))))
        .addSteps(
            StepDefinition.newBuilder()
                .setName("approval")
                .setSignal(SignalStep.newBuilder().setType("approved")))
        .build();
  }

  private static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  private void show(ListClaimsResponse claims) {
    console.api.answer(EntityServiceGrpc.getListClaimsMethod(), claims);
  }

  private void show(Janitor... janitors) {
    console.api.answer(
        JanitorServiceGrpc.getListJanitorsMethod(),
        ListJanitorsResponse.newBuilder().addAllJanitors(List.of(janitors)).build());
  }

  private void show(QueueState queue, WorkerState worker) {
    console.api.answer(
        MonitoringServiceGrpc.getListQueuesMethod(),
        ListQueuesResponse.newBuilder().addQueues(queue).setNextPageToken("q2").build());
    console.api.answer(
        MonitoringServiceGrpc.getListWorkersMethod(),
        ListWorkersResponse.newBuilder().addWorkers(worker).build());
  }

  private void show(Definition definition) {
    console.api.answer(
        DefinitionServiceGrpc.getListDefinitionsMethod(),
        ListDefinitionsResponse.newBuilder().addDefinitions(definition).build());
    console.api.answer(
        DefinitionServiceGrpc.getGetDefinitionMethod(),
        GetDefinitionResponse.newBuilder().setDefinition(definition).build());
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  @DisplayName("given claims, when they are listed, then with links and by the filter")
  void claimList() {
    assertThat(console.open(CLAIMS + "?kind=run+failed&kind=entity+claimed&lifecycle=billing"))
        .contains(
            "href=\"/w/default/entities/billing/i%2F1\"",
            "href=\"/w/default/operations/one?operation=Place&amp;request=r1\"",
            "href=\"/w/default/runs/run_1\"",
            "the janitor of billing",
            "waits for a person");

    var request = console.api.requests(ListClaimsRequest.class).getLast();
    assertThat(request.getLifecycle()).isEqualTo("billing");
    assertThat(request.getKindsList())
        .containsExactly(ClaimKind.CLAIM_KIND_ENTITY_CLAIMED, ClaimKind.CLAIM_KIND_RUN_FAILED);
  }

  @Test
  @DisplayName("given no claim, when they are listed, then the page says so")
  void noClaims() {
    show(ListClaimsResponse.getDefaultInstance());
    assertThat(console.read(CLAIMS)).contains("Nothing is held.");

    show(ListClaimsResponse.newBuilder().setNextPageToken("t2").build());
    assertThat(console.open(CLAIMS)).contains("may be more on the next one", "?page=t2");
  }

  @Test
  @DisplayName("given a janitor, when it is shown, then with its last sweep, lag and coverage")
  void janitor() {
    assertThat(console.open(JANITORS)).contains("href=\"" + BILLING + "\"", "ON SCHEDULE");
    assertThat(console.read(BILLING))
        .contains("The last sweep was 5 min ago; 2 entities were freed.", "closing billing ✓ yes");
    assertThat(console.open(BILLING)).contains(SWEEP);

    show(
        janitor(JanitorMode.JANITOR_MODE_REMOTE)
            .setOverdue(true)
            .setLag(seconds(600))
            .clearLastSweep()
            .build());
    assertThat(console.read(BILLING))
        .contains("OVERDUE remote", "There was no poll yet. It is late by 10 min.");
    assertThat(console.open(BILLING)).as("a remote janitor").doesNotContain(SWEEP);

    show(janitor(JanitorMode.JANITOR_MODE_HOSTED).clearContract().build());
    assertThat(console.read(BILLING)).contains("NOT DECLARED", "hapax janitor declare");
  }

  @Test
  @DisplayName("given no such janitor, when it is opened, then the page says so with 404")
  void noJanitor() {
    show();
    assertThat(console.read(JANITORS)).contains("No module needs a janitor yet.");

    var answer = console.browser.get(BILLING);
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("Module billing has no janitor and needs none.");
  }

  @Test
  @DisplayName("given a hosted janitor, when it sweeps, then the page says what it freed")
  void sweep() {
    assertThat(console.read(SWEEP)).contains("Entities of module billing whose lease has expired");

    var answer = console.browser.submit(SWEEP, Map.of("reason", "before the audit"));

    assertThat(answer.body()).contains("freed 3 entities", "sweep again");
    assertThat(console.api.requests(SweepRequest.class))
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getModule()).isEqualTo("billing");
              assertThat(request.getReason()).isEqualTo("before the audit");
            });

    console.api.refuse(
        JanitorServiceGrpc.getSweepMethod(),
        Status.FAILED_PRECONDITION.withDescription("the janitor of billing is remote"));
    assertThat(console.browser.submit(SWEEP, Map.of()).body())
        .contains("The janitor of billing is remote.");
  }

  @Test
  @DisplayName("given a viewer, when a janitor is shown, then without its button")
  void viewer() {
    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_VIEWER);
    assertThat(console.open(BILLING)).doesNotContain(SWEEP);
  }

  @Test
  @DisplayName("given queues and workers, when they are listed, then each has its own pages")
  void queueList() {
    var body = console.open(QUEUES + "?workers=w1");

    assertThat(body)
        .contains("NO WORKER", "w-1", "href=\"/w/default/queues?workers=w1&amp;queues=q2\"");
    assertThat(console.api.requests(ListQueuesRequest.class).getLast().getPageToken()).isEmpty();
    assertThat(console.api.requests(ListWorkersRequest.class).getLast().getPageToken())
        .isEqualTo("w1");
    assertThat(console.read(QUEUES)).contains("not in 10 min");
  }

  @Test
  @DisplayName("given definitions, when they are shown, then with their versions and steps")
  void definitions() {
    assertThat(console.open(DEFINITIONS + "?name=order")).contains("href=\"" + ORDER + "\"");
    assertThat(console.api.requests(ListDefinitionsRequest.class).getLast().getName())
        .isEqualTo("order");

    assertThat(console.read(ORDER))
        .contains("1 charge task queue payments", "2 cool-off timer for 90s")
        .contains("3 approval signal of type approved", "faster", "lease 45s");
    assertThat(console.open(ORDER)).contains("href=\"/w/default/runs?definition=order\"");
    assertThat(console.api.requests(GetDefinitionRequest.class).getLast().getVersion())
        .isEqualTo("v/2");
  }

  @Test
  @DisplayName("given no definition, when they are listed, then the page says what to do")
  void noDefinitions() {
    console.api.answer(
        DefinitionServiceGrpc.getListDefinitionsMethod(),
        ListDefinitionsResponse.getDefaultInstance());

    assertThat(console.read(DEFINITIONS)).contains("hapax definition apply FILE");
    assertThat(console.read(DEFINITIONS + "?name=x")).contains("No definition has this name.");
  }

  @Test
  @DisplayName("given markup in every text, when these pages are shown, then it is text")
  void escaped() {
    show(withMarkup(claims()));
    show(
        withMarkup(janitor(JanitorMode.JANITOR_MODE_HOSTED).build()).toBuilder()
            .setModule("billing")
            .build());
    show(withMarkup(queues()), withMarkup(workers()));
    show(withMarkup(definition()));

    for (var path : List.of(CLAIMS, BILLING, QUEUES, DEFINITIONS, ORDER)) {
      console.assertEscaped(path);
    }
    show(withMarkup(janitor(JanitorMode.JANITOR_MODE_HOSTED).build()));
    console.assertEscaped(JANITORS);
  }
}
