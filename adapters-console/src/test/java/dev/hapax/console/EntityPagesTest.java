package dev.hapax.console;

import static dev.hapax.console.PreparedConsole.at;
import static dev.hapax.console.PreparedConsole.withMarkup;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityClaim;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ExplainRunResponse;
import dev.hapax.v1.GetEntityResponse;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntitiesResponse;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.ListLifecyclesResponse;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.ReleaseClaimResponse;
import dev.hapax.v1.Role;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EntityPagesTest {
  private static final String LIST = "/w/default/entities";
  private static final String PAGE = LIST + "/billing/invoice%2017%2Fa";
  private static final String RELEASE = PAGE + "/release";
  private static final String LIFECYCLE = "/w/default/lifecycles/billing";

  private final PreparedConsole console = new PreparedConsole();
  private final Instant now = Instant.now();

  EntityPagesTest() throws IOException {
    show(entity().build());
    show(lifecycle());
  }

  private static Entity.Builder entity() {
    return Entity.newBuilder()
        .setWorkspace("default")
        .setLifecycle("billing")
        .setId("invoice 17/a")
        .setStatus("approved")
        .setVersion(4);
  }

  private Entity held(Duration leaseLeft) {
    return entity()
        .setStatus("closing")
        .setClaim(
            EntityClaim.newBuilder()
                .setHolder("worker-7")
                .setHolderPrincipal("api-key:billing")
                .setSince(at(now.minusSeconds(300)))
                .setLeaseUntil(at(now.plus(leaseLeft)))
                .setStepKey("close")
                .setRevertTo("approved")
                .setModule("billing")
                .setFence(23))
        .build();
  }

  private static Lifecycle lifecycle() {
    return Lifecycle.newBuilder()
        .setWorkspace("default")
        .setName("billing")
        .setModule("billing")
        .addStatusTypes("approved")
        .addStatusTypes("closing")
        .addStatusTypes("closed")
        .addClaimStates("closing")
        .setJson(
            """
            {"lifecycle": "billing", "steps": [{
              "step_id": 20, "step_key": "close", "status": "approved",
              "successful_claim_state": {"admin": ["closing", "approved"]},
              "successful_state": {"admin": "closed", "system": "closed"},
              "success_after_effect": {"admin": "SendEmails"}}]}
            """)
        .build();
  }

  private void show(Entity entity) {
    console.api.answer(
        EntityServiceGrpc.getListEntitiesMethod(),
        ListEntitiesResponse.newBuilder().addEntities(entity).setNextPageToken("t 2").build());
    console.api.answer(
        EntityServiceGrpc.getGetEntityMethod(),
        GetEntityResponse.newBuilder().setEntity(entity).build());
    console.api.answer(
        EntityServiceGrpc.getReleaseClaimMethod(),
        ReleaseClaimResponse.newBuilder().setEntity(entity).build());
    console.api.answer(
        EntityServiceGrpc.getListEntityEventsMethod(),
        ListEntityEventsResponse.newBuilder()
            .addEvents(
                EntityEvent.newBuilder()
                    .setVersion(4)
                    .setType(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_RELEASED)
                    .setActor("console")
                    .setClaimReleased(EntityEvent.ClaimReleased.newBuilder().setReason("it hung")))
            .build());
  }

  private void show(Lifecycle lifecycle) {
    console.api.answer(
        LifecycleServiceGrpc.getListLifecyclesMethod(),
        ListLifecyclesResponse.newBuilder().addLifecycles(lifecycle).build());
    console.api.answer(
        LifecycleServiceGrpc.getGetLifecycleMethod(),
        GetLifecycleResponse.newBuilder().setLifecycle(lifecycle).build());
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  @DisplayName("given a filter in the address, when entities are listed, then the API is asked")
  void list() {
    var body = console.open(LIST + "?lifecycle=billing&status=closing&status=closed&page=t1");

    assertThat(console.api.requests(ListEntitiesRequest.class))
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getLifecycle()).isEqualTo("billing");
              assertThat(request.getStatusesList()).containsExactly("closing", "closed");
              assertThat(request.getPageToken()).isEqualTo("t1");
            });
    var filter = "?lifecycle=billing&amp;status=closing&amp;status=closed";
    assertThat(body)
        .contains(
            "href=\"" + PAGE + "\"",
            "href=\"" + LIST + filter + "\"",
            "href=\"" + LIST + filter + "&amp;page=t%202\"",
            "value=\"closing\" checked");
  }

  @Test
  @DisplayName("given no entity, when they are listed, then the page says what to do")
  void empty() {
    console.api.answer(
        EntityServiceGrpc.getListEntitiesMethod(), ListEntitiesResponse.getDefaultInstance());

    assertThat(console.read(LIST)).contains("hapax entity create");
    assertThat(console.read(LIST + "?lifecycle=billing")).contains("No entity matches.");
  }

  @Test
  @DisplayName("given a free, held, expired or recovering entity, then its page says who has it")
  void claim() {
    assertThat(console.read(PAGE)).contains("FREE", "The entity is free");

    show(held(Duration.ofMinutes(5)));
    assertThat(console.read(PAGE))
        .contains("HELD", "worker-7 holds it since 5 min ago, for step close", "fence 23")
        .contains("api-key:billing");

    show(held(Duration.ofMinutes(-2)));
    assertThat(console.read(PAGE))
        .contains("LEASE EXPIRED", "let its lease expire", "janitor of module billing");

    var held = held(Duration.ofMinutes(5));
    var recovering =
        held.getClaim().toBuilder()
            .setRecoveringBy("fixer")
            .setRecoveringByPrincipal("api-key:mender");
    show(held.toBuilder().setClaim(recovering).build());
    assertThat(console.read(PAGE))
        .contains("RECOVERING", "Worker fixer of module billing checks", "api-key:mender");
  }

  @Test
  @DisplayName("given a lifecycle, when its entity is shown, then the current status is marked")
  void drawing() {
    show(held(Duration.ofMinutes(5)));

    assertThat(console.open(PAGE)).contains("box CLAIM_STATE here", "● closing");
    assertThat(console.read(PAGE)).contains("close (admin)", "claim released", "it hung");
    assertThat(console.read(LIFECYCLE)).contains("close admin approved closing closed approved");
  }

  @Test
  @DisplayName("given a lifecycle that is gone, when its entity is shown, then the page says so")
  void noLifecycle() {
    console.api.refuse(
        LifecycleServiceGrpc.getGetLifecycleMethod(),
        Status.NOT_FOUND.withDescription("no lifecycle has the name billing"));

    assertThat(console.read(PAGE)).contains("The server no longer has this lifecycle.");
  }

  @Test
  @DisplayName(
      "given a held entity, when it is released, then as the visitor saw it, with a reason")
  void release() {
    show(held(Duration.ofMinutes(5)));
    assertThat(console.open(PAGE)).contains(RELEASE, PAGE + "/release-as-done");
    assertThat(console.read(RELEASE)).contains("worker-7 loses its claim", "back to approved");

    var answer =
        console.browser.submit(
            PAGE + "/release-as-done",
            Map.of("reason", "it was done", "version", "4", "once", "n1"));

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).contains(PAGE);
    assertThat(console.api.requests(ReleaseClaimRequest.class))
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getEntityId()).isEqualTo("invoice 17/a");
              assertThat(request.getExpectedVersion()).isEqualTo(4);
              assertThat(request.getRequestId()).isEqualTo("n1");
              assertThat(request.getReason()).isEqualTo("it was done");
              assertThat(request.getOutcome()).isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
            });
  }

  @Test
  @DisplayName("given an entity that changed, when it is released, then the error is a sentence")
  void conflict() {
    console.api.refuse(
        EntityServiceGrpc.getReleaseClaimMethod(),
        Status.ABORTED.withDescription("the entity has version 5"));

    var answer = console.browser.submit(RELEASE, Map.of("reason", "x", "version", "4"));

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("Nothing was changed", "The entity has version 5.");
  }

  @Test
  @DisplayName("given a viewer, when a held entity is shown, then without its buttons")
  void viewer() {
    console.api.authenticate(PrincipalKind.PRINCIPAL_KIND_API_KEY, Role.ROLE_VIEWER);
    show(held(Duration.ofMinutes(5)));

    assertThat(console.open(PAGE)).contains("worker-7").doesNotContain(RELEASE);
  }

  @Test
  @DisplayName("given a history that the API cuts, when an entity is shown, then it is read on")
  void cutHistory() {
    show(entity().setVersion(90).build());
    console.api.answer(
        EntityServiceGrpc.getListEntityEventsMethod(),
        ListEntityEventsResponse.newBuilder()
            .addEvents(EntityEvent.newBuilder().setVersion(41))
            .setNextPageToken("t")
            .build());

    assertThat(console.open(PAGE)).contains("href=\"" + PAGE + "?before=41#history\"");

    var requests = console.api.requests(ListEntityEventsRequest.class);
    assertThat(requests).allMatch(request -> request.getAfterVersion() == 40);
    assertThat(requests)
        .extracting(ListEntityEventsRequest::getPageToken)
        .startsWith("", "t")
        .hasSize(50);
  }

  @Test
  @DisplayName("given an after-effect, when its run and its entity are shown, then with links")
  void afterEffect() {
    var run =
        Run.newBuilder()
            .setId("run_1")
            .putLabels("hapax.lifecycle", "billing")
            .putLabels("hapax.entity", "invoice 17/a");
    console.api.answer(
        RunServiceGrpc.getGetRunMethod(), GetRunResponse.newBuilder().setRun(run).build());
    console.api.answer(
        RunServiceGrpc.getExplainRunMethod(), ExplainRunResponse.getDefaultInstance());
    console.api.answer(RunServiceGrpc.getListStepsMethod(), ListStepsResponse.getDefaultInstance());
    console.api.answer(
        RunServiceGrpc.getListRunEventsMethod(), ListRunEventsResponse.getDefaultInstance());

    assertThat(console.open("/w/default/runs/run_1")).contains("href=\"" + PAGE + "\"");
    assertThat(console.open(PAGE))
        .contains(
            "/w/default/runs?label=hapax.lifecycle%3Dbilling"
                + "&amp;label=hapax.entity%3Dinvoice%2017%2Fa");
  }

  @Test
  @DisplayName(
      "given markup in every text, when entities and lifecycles are shown, then it is text")
  void escaped() throws IOException {
    show(withMarkup(held(Duration.ofMinutes(5))));
    var events =
        ListEntityEventsResponse.newBuilder()
            .addEvents(EntityEvent.newBuilder().setVersion(1).setDeleted(deleted()))
            .build();
    console.api.answer(EntityServiceGrpc.getListEntityEventsMethod(), withMarkup(events));
    var text =
        JsonFormat.printer().print(Value.newBuilder().setStringValue(PreparedConsole.MARKUP));
    show(
        withMarkup(lifecycle()).toBuilder()
            .setJson(lifecycle().getJson().replace("\"closing\"", text))
            .build());

    for (var path : new String[] {LIST, PAGE, RELEASE, "/w/default/lifecycles", LIFECYCLE}) {
      console.assertEscaped(path);
    }
  }

  private static EntityEvent.Deleted deleted() {
    return EntityEvent.Deleted.newBuilder().setReason("x").build();
  }
}
