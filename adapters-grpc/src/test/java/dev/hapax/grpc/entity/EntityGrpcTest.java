package dev.hapax.grpc.entity;

import static dev.hapax.grpc.entity.ClaimServices.closing;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.BeginActionResponse.OutcomeCase;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EntityGrpcTest {
  private final ClaimServices services = new ClaimServices();

  @BeforeEach
  void prepare() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
  }

  @AfterEach
  void close() {
    services.close();
  }

  private static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  private static CreateEntityRequest.Builder creation(String id, String status) {
    return CreateEntityRequest.newBuilder()
        .setLifecycle("billing")
        .setEntityId(id)
        .setStatus(status);
  }

  private CreateEntityResponse create(CreateEntityRequest.Builder request) {
    return services.entities().createEntity(request.build());
  }

  private BeginActionResponse begin(BeginActionRequest.Builder request) {
    return services.entities().beginAction(request.build());
  }

  private FailActionResponse fail(Claim claim, ActionFailureKind kind) {
    return services
        .entities()
        .failAction(
            FailActionRequest.newBuilder()
                .setClaim(claim)
                .setKind(kind)
                .setMessage("no such customer")
                .build());
  }

  private RenewActionResponse renew(Claim claim) {
    return services.entities().renewAction(RenewActionRequest.newBuilder().setClaim(claim).build());
  }

  private List<Run> effects() {
    return RunServiceGrpc.newBlockingStub(services.channel)
        .listRuns(ListRunsRequest.newBuilder().addDefinitions("hapax.after-effect").build())
        .getRunsList();
  }

  @Test
  @DisplayName("given an entity, when it is created again, then it is returned unchanged")
  void creates() {
    var created = create(creation("inv-2", "approved").setActor("ann"));
    assertThat(created.getAlready()).isFalse();
    var entity = created.getEntity();
    assertThat(entity.getLifecycle()).isEqualTo("billing");
    assertThat(entity.getId()).isEqualTo("inv-2");
    assertThat(entity.getStatus()).isEqualTo("approved");
    assertThat(entity.getVersion()).isOne();
    assertThat(entity.getWorkspace()).isEqualTo("default");
    assertThat(entity.hasCreatedAt()).isTrue();
    assertThat(entity.hasClaim()).isFalse();
    assertThat(services.get("inv-2")).isEqualTo(entity);

    var _ = services.claimed("inv-2");
    var again = create(creation("inv-2", "void"));
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getEntity().getStatus()).isEqualTo("closing");
  }

  @Test
  @DisplayName("given a claim state or an unknown status, then the entity is not created")
  void statuses() {
    assertRefused("status", () -> create(creation("inv-2", "closing")));
    var unknown = Refusal.of(() -> create(creation("inv-2", "nowhere")));
    assertThat(unknown.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(unknown.message())
        .isEqualTo("status \"nowhere\" is not in the status_types of lifecycle \"billing\"");
    var nothing = Refusal.of(() -> create(creation("inv-2", "approved").setLifecycle("orders")));
    assertThat(nothing.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(nothing.reason()).isEqualTo("LIFECYCLE_NOT_FOUND");
    var elsewhere = creation("inv-2", "approved").setWorkspace("elsewhere");
    assertThat(Refusal.of(() -> create(elsewhere)).reason()).isEqualTo("LIFECYCLE_NOT_FOUND");
    assertThat(Refusal.of(() -> services.get("inv-2")).reason()).isEqualTo("ENTITY_NOT_FOUND");
  }

  @Test
  @DisplayName(
      "given 50 concurrent callers, then one acts and 49 get its holder, start and " + "lease [C1]")
  void claims() {
    var answers =
        IntStream.range(0, 50)
            .parallel()
            .mapToObj(
                i -> begin(closing("inv-1", "admin").setAttemptId("a" + i).setActor("ann " + i)))
            .toList();
    var grants = answers.stream().filter(BeginActionResponse::hasGranted).toList();
    assertThat(grants).hasSize(1);
    var granted = grants.getFirst().getGranted();
    assertThat(granted.getAction()).isEqualTo("CloseBillingActionUseCase");
    assertThat(granted.getExclusive()).isTrue();
    assertThat(granted.getReentrant()).isFalse();
    assertThat(granted.getLeaseRemaining()).isEqualTo(seconds(300));
    var entity = granted.getEntity();
    assertThat(entity.getStatus()).isEqualTo("closing");
    assertThat(entity.getVersion()).isEqualTo(2);
    var holder = entity.getClaim().getHolder();
    assertThat(holder).startsWith("ann ");
    assertThat(entity.getClaim().getStepKey()).isEqualTo("close");
    assertThat(entity.getClaim().getRevertTo()).isEqualTo("approved");
    assertThat(entity.getClaim().getModule()).isEqualTo(ClaimServices.MODULE);
    assertThat(entity.getClaim().getFence()).isEqualTo(granted.getClaim().getFence());
    assertThat(services.get("inv-1")).isEqualTo(entity);

    assertThat(answers)
        .filteredOn(answer -> !answer.hasGranted())
        .hasSize(49)
        .extracting(BeginActionResponse::getClaimFailed)
        .allSatisfy(
            failed -> {
              assertThat(failed.getHolder()).isEqualTo(holder);
              assertThat(failed.getSince()).isEqualTo(entity.getClaim().getSince());
              assertThat(failed.getLeaseRemaining()).isEqualTo(seconds(300));
              assertThat(failed.getMessage())
                  .startsWith("another operation is already in progress");
            });
  }

  @Test
  @DisplayName(
      "given a repeated attempt, then it gets its claim again, with the requester as "
          + "actor [X1]")
  void reentrance() {
    var request = closing("inv-1", "admin").setAttemptId("a").setLease(seconds(10));
    var first = begin(request).getGranted();
    var again = begin(request).getGranted();
    assertThat(again.getClaim()).isEqualTo(first.getClaim());
    assertThat(again.getReentrant()).isTrue();
    assertThat(again.getLeaseRemaining()).isEqualTo(seconds(10));
    assertThat(begin(closing("inv-1", "admin")).getClaimFailed().getHolder()).isEqualTo("admin");
  }

  @Test
  @DisplayName(
      "given a completed action, then the status is its goal, and a repeat is a " + "no-op [C2]")
  void completes() {
    var claim = services.claimed("inv-1").getClaim();
    var done = services.complete(claim).getCompleted();
    assertThat(done.getAlready()).isFalse();
    assertThat(done.getEntity().getStatus()).isEqualTo("closed");
    assertThat(done.getEntity().getVersion()).isEqualTo(3);
    assertThat(done.getEntity().hasClaim()).isFalse();
    var again = services.complete(claim).getCompleted();
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getEntity()).isEqualTo(done.getEntity());
    assertThat(
            fail(claim, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
  }

  @Test
  @DisplayName("given a failure, rejection or exception, then the status is reverted [C2]")
  void fails() {
    for (var kind :
        List.of(
            ActionFailureKind.ACTION_FAILURE_KIND_UNSPECIFIED,
            ActionFailureKind.ACTION_FAILURE_KIND_FAILURE,
            ActionFailureKind.ACTION_FAILURE_KIND_INVALID,
            ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION)) {
      var claim = services.claimed("inv-1").getClaim();
      var failed = fail(claim, kind).getFailed();
      assertThat(failed.getAlready()).isFalse();
      assertThat(failed.getEntity().getStatus()).isEqualTo("approved");
      assertThat(fail(claim, kind).getFailed().getAlready()).isTrue();
      assertThat(services.complete(claim).getClaimLost().getReason())
          .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
    }
    assertThat(effects()).isEmpty();
  }

  @Test
  @DisplayName(
      "given a step without a claim, then its requesters act and others are rejected " + "[C3]")
  void requesters() {
    var one = begin(closing("inv-1", "system").setAttemptId("one")).getGranted();
    assertThat(one.getExclusive()).isFalse();
    assertThat(one.getAction()).isEqualTo("CloseBilling");
    assertThat(one.getEntity().getStatus()).isEqualTo("approved");
    assertThat(one.getEntity().getVersion()).isOne();
    assertThat(begin(closing("inv-1", "stranger")).getOutcomeCase())
        .isEqualTo(OutcomeCase.NOT_ALLOWED);
    assertThat(begin(closing("inv-1", "admin").setStepKey("fly")).getOutcomeCase())
        .isEqualTo(OutcomeCase.NOT_ALLOWED);
    assertThat(services.complete(one.getClaim()).getCompleted().getEntity().getStatus())
        .isEqualTo("closed");
    var late = begin(closing("inv-1", "admin"));
    assertThat(late.getWrongStatus().getStatus()).isEqualTo("closed");
  }

  @Test
  @DisplayName(
      "given two actions without a claim, then one completes and the other loses by "
          + "version [C8]")
  void optimistic() {
    var one = begin(closing("inv-1", "system").setAttemptId("one")).getGranted().getClaim();
    var two = begin(closing("inv-1", "system").setAttemptId("two")).getGranted().getClaim();
    assertThat(begin(closing("inv-1", "system").setAttemptId("one")).getGranted().getClaim())
        .isEqualTo(one);
    assertThat(renew(two).getRenewed().getLeaseRemaining()).isEqualTo(seconds(300));
    assertThat(services.complete(one).hasCompleted()).isTrue();
    var after = services.get("inv-1");
    assertThat(services.complete(two).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_VERSION);
    assertThat(renew(two).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_VERSION);
    assertThat(services.complete(one).getCompleted().getAlready()).isTrue();
    assertThat(services.get("inv-1")).isEqualTo(after);
  }

  @Test
  @DisplayName("given another version than expected, then the error has the current one [C8]")
  void expectedVersion() {
    var before = services.get("inv-1");
    var refused = Refusal.of(() -> begin(closing("inv-1", "admin").setExpectedVersion(7)));
    assertThat(refused.code()).isEqualTo(Code.ABORTED);
    assertThat(refused.reason()).isEqualTo("CONCURRENCY_ERROR");
    assertThat(refused.metadata()).containsEntry("version", "1");
    assertThat(services.get("inv-1")).isEqualTo(before);
    assertThat(begin(closing("inv-1", "admin").setExpectedVersion(1)).hasGranted()).isTrue();
  }

  @Test
  @DisplayName("given a released claim, when its holder completes, then nothing changes [C7]")
  void lateFinisher() {
    var late = services.claimed("inv-1").getClaim();
    services.afterTheLease();
    assertThat(services.sweep().getFreed()).isOne();
    var before = services.get("inv-1");
    var lost = ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST;
    assertThat(services.complete(late).getClaimLost().getReason()).isEqualTo(lost);
    assertThat(renew(late).getClaimLost().getReason()).isEqualTo(lost);
    assertThat(
            fail(late, ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION).getClaimLost().getReason())
        .isEqualTo(lost);
    assertThat(services.get("inv-1")).isEqualTo(before);
    assertThat(effects()).isEmpty();

    var next = services.claimed("inv-1").getClaim();
    assertThat(next.getFence()).isGreaterThan(late.getFence());
    assertThat(services.complete(late).getClaimLost().getReason()).isEqualTo(lost);
    assertThat(services.complete(next).hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("given a renewed claim, then it is not reverted before its lease expires [C6]")
  void renewal() {
    var claim = services.claimed("inv-1").getClaim();
    services.clock.advance(java.time.Duration.ofSeconds(299));
    assertThat(renew(claim).getRenewed().getLeaseRemaining()).isEqualTo(seconds(300));
    services.clock.advance(java.time.Duration.ofSeconds(299));
    assertThat(services.sweep().getFreed()).isZero();
    var shorter = RenewActionRequest.newBuilder().setClaim(claim).setLease(seconds(10)).build();
    assertThat(services.entities().renewAction(shorter).getRenewed().getLeaseRemaining())
        .isEqualTo(seconds(10));
    services.clock.advance(java.time.Duration.ofSeconds(10));
    assertThat(services.sweep().getFreed()).isOne();
  }

  @Test
  @DisplayName(
      "given an expired claim, then a remote module must recover it first, a hosted one not")
  void needsRecovery() {
    var late = services.claimed("inv-1").getClaim();
    services.declare(JanitorMode.JANITOR_MODE_REMOTE);
    services.afterTheLease();
    assertThat(begin(closing("inv-1", "admin")).getOutcomeCase())
        .isEqualTo(OutcomeCase.NEEDS_RECOVERY);
    services.declare(JanitorMode.JANITOR_MODE_HOSTED);
    assertThat(services.claimed("inv-1").getClaim().getFence()).isGreaterThan(late.getFence());
  }

  @Test
  @DisplayName(
      "given a waiting BeginAction, then a free entity is granted, and a cancel frees the place")
  void waits() throws Exception {
    var claim = services.claimed("inv-1").getClaim();
    var stub = EntityServiceGrpc.newFutureStub(services.channel);
    var request = closing("inv-1", "admin").setWait(seconds(30)).build();
    var gone = stub.beginAction(request);
    assertThat(services.places.size()).isOne();
    gone.cancel(true);
    assertThat(services.places.size()).isZero();

    var waiting = stub.beginAction(request);
    assertThat(waiting.isDone()).isFalse();
    var failed = fail(claim, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE);
    assertThat(failed.hasFailed()).isTrue();
    assertThat(waiting.get(10, TimeUnit.SECONDS).hasGranted()).isTrue();

    var patient = stub.beginAction(request);
    services.timer.advance(java.time.Duration.ofSeconds(30));
    assertThat(patient.get(10, TimeUnit.SECONDS).hasClaimFailed()).isTrue();
    assertThat(services.places.size()).isZero();
  }

  @Test
  @DisplayName("given an after-effect, then its run is created once, with the transition [C9]")
  void effect() {
    var claim = services.claimed("inv-1").getClaim();
    assertThat(effects()).isEmpty();
    var _ = services.complete(claim);
    var _ = services.complete(claim);
    assertThat(effects())
        .singleElement()
        .satisfies(
            run -> {
              assertThat(run.getDefinitionVersion()).isEqualTo("SendBillingEmails");
              assertThat(run.getLabelsMap())
                  .containsEntry("hapax.lifecycle", "billing")
                  .containsEntry("hapax.entity", "inv-1");
            });
    var polling =
        PollTasksRequest.newBuilder().addQueues("SendBillingEmails").setWorkerId("w").build();
    var task = WorkerServiceGrpc.newBlockingStub(services.channel).pollTasks(polling).getTasks(0);
    assertThat(task.getStep().getId()).startsWith("step_");
    assertThat(task.getInput().getJson())
        .isEqualTo(
            "{\"lifecycle\":\"billing\",\"entity_id\":\"inv-1\",\"step_key\":\"close\","
                + "\"requester\":\"admin\",\"status\":\"closed\",\"version\":3}");
  }

  @Test
  @DisplayName(
      "given a claim of another workspace, then every rpc answers only UNKNOWN_CLAIM " + "[X4]")
  void foreign() {
    var claim = services.claimed("inv-1").getClaim();
    var lost = unknown("default");
    for (var foreign :
        List.of(
            Claim.newBuilder().setId("op_AAAA").setFence(1).build(),
            Claim.newBuilder().setId("action_AAAA").setFence(1).build(),
            claim.toBuilder().setFence(claim.getFence() + 1).build(),
            claim.toBuilder().setId(claim.getId() + "AAAA").build())) {
      assertThat(services.complete(foreign).getClaimLost()).isEqualTo(lost);
      assertThat(fail(foreign, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE).getClaimLost())
          .isEqualTo(lost);
      assertThat(renew(foreign).getClaimLost()).isEqualTo(lost);
    }
    var elsewhere =
        CompleteActionRequest.newBuilder().setWorkspace("elsewhere").setClaim(claim).build();
    assertThat(services.entities().completeAction(elsewhere).getClaimLost())
        .isEqualTo(unknown("elsewhere"));
    assertThat(services.complete(claim).hasCompleted()).isTrue();
  }

  private static ClaimLost unknown(String workspace) {
    return ClaimLost.newBuilder()
        .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
        .setWorkspace(workspace)
        .build();
  }

  @Test
  @DisplayName(
      "given entities, then they are listed by lifecycle and id, filtered and page by page")
  void lists() {
    for (var i = 2; i <= 5; i++) {
      services.create("inv-" + i);
    }
    var _ = services.claimed("inv-3");
    assertThat(ids(ListEntitiesRequest.newBuilder().setPageSize(2)))
        .containsExactly("inv-1", "inv-2", "inv-3", "inv-4", "inv-5");
    var closing = ListEntitiesRequest.newBuilder().addStatuses("closing");
    assertThat(ids(closing)).containsExactly("inv-3");
    assertThat(ids(closing.addStatuses("approved").setPageSize(2)))
        .containsExactly("inv-1", "inv-2", "inv-3", "inv-4", "inv-5");
    assertThat(ids(ListEntitiesRequest.newBuilder().addStatuses("closed"))).isEmpty();
    assertThat(ids(ListEntitiesRequest.newBuilder().setLifecycle("orders"))).isEmpty();
    assertThat(ids(ListEntitiesRequest.newBuilder().setWorkspace("elsewhere"))).isEmpty();
  }

  private List<String> ids(ListEntitiesRequest.Builder request) {
    var ids = new ArrayList<String>();
    do {
      var page = services.entities().listEntities(request.build());
      page.getEntitiesList().stream().map(Entity::getId).forEach(ids::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return ids;
  }

  @Test
  @DisplayName("given invalid fields, then the error names them [X4]")
  void refused() {
    var stub = services.entities();
    assertRefused("workspace", () -> create(creation("x", "approved").setWorkspace("A")));
    assertRefused("lifecycle", () -> create(creation("x", "approved").clearLifecycle()));
    assertRefused("entity_id", () -> create(creation("x".repeat(256), "approved")));
    assertRefused("entity_id", () -> create(creation("\0", "approved")));
    assertRefused("status", () -> create(creation("x", "")));
    assertRefused("actor", () -> create(creation("x", "approved").setActor("\t")));
    assertRefused(
        "entity_id",
        () -> stub.getEntity(GetEntityRequest.newBuilder().setLifecycle("billing").build()));
    assertRefused("step_key", () -> begin(closing("inv-1", "admin").clearStepKey()));
    assertRefused("requester", () -> begin(closing("inv-1", "")));
    assertRefused(
        "attempt_id", () -> begin(closing("inv-1", "admin").setAttemptId("x".repeat(256))));
    assertRefused("lease", () -> begin(closing("inv-1", "admin").setLease(seconds(-1))));
    assertRefused("lease", () -> begin(closing("inv-1", "admin").setLease(seconds(86_401))));
    assertRefused("wait", () -> begin(closing("inv-1", "admin").setWait(seconds(31))));
    assertRefused(
        "expected_version", () -> begin(closing("inv-1", "admin").setExpectedVersion(-1)));
    var claim = services.claimed("inv-1").getClaim();
    assertRefused("claim.id", () -> services.complete(Claim.getDefaultInstance()));
    assertRefused(
        "kind",
        () ->
            stub.failAction(
                FailActionRequest.newBuilder().setClaim(claim).setKindValue(9).build()));
    assertRefused(
        "message",
        () ->
            stub.failAction(
                FailActionRequest.newBuilder()
                    .setClaim(claim)
                    .setMessage("x".repeat(5_000))
                    .build()));
    assertRefused(
        "lease",
        () ->
            stub.renewAction(
                RenewActionRequest.newBuilder().setClaim(claim).setLease(seconds(0)).build()));
    assertRefused(
        "page_token",
        () -> stub.listEntities(ListEntitiesRequest.newBuilder().setPageToken("AAAA").build()));
    assertThat(services.complete(claim).hasCompleted()).isTrue();
  }

  private static void assertRefused(String field, ThrowingCallable call) {
    var refused = Refusal.of(call);
    assertThat(refused.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refused.fields()).containsExactly(field);
  }

  @Test
  @DisplayName("given a completion with a span, then the after-effect has that span")
  void traced() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    var headers = new Metadata();
    headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), header);
    var claim = services.claimed("inv-1").getClaim();
    var _ =
        services
            .entities()
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
            .completeAction(CompleteActionRequest.newBuilder().setClaim(claim).build());
    assertThat(effects()).extracting(Run::getTraceparent).containsExactly(header);
  }
}
