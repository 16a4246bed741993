package dev.hapax.grpc.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import com.google.protobuf.Timestamp;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.OnStale;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.TimerStep;
import dev.hapax.v1.WorkerServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimListTest {
  private static final Duration HOUR = Duration.newBuilder().setSeconds(3600).build();
  private static final SignalStep ANY =
      SignalStep.newBuilder().setAny(Empty.getDefaultInstance()).build();
  private final ClaimServices services = new ClaimServices();

  @AfterEach
  void close() {
    services.close();
  }

  /** Two entities with a holder, one that is looked into, and one of each of the rest. */
  @BeforeEach
  void prepare() {
    services.prepare(JanitorMode.JANITOR_MODE_REMOTE);
    for (var id : List.of("inv-2", "inv-3", "inv-4")) {
      services.create(id);
    }
    var _ = services.claimed("inv-2");
    services.afterTheLease();
    var _ =
        services
            .janitors()
            .pollRecoveries(
                PollRecoveriesRequest.newBuilder().setModule(ClaimServices.MODULE).build());
    var _ = services.claimed("inv-1");
    var _ = services.claimed("inv-4");
    hold("op-1");
    hold("op-2");
    define("task", StepDefinition.newBuilder().setTask(TaskStep.newBuilder().setQueue("q")));
    define("signal", StepDefinition.newBuilder().setSignal(ANY));
    define("timed", StepDefinition.newBuilder().setSignal(ANY.toBuilder().setTimeout(HOUR)));
    define("timer", StepDefinition.newBuilder().setTimer(TimerStep.newBuilder().setDuration(HOUR)));
    fail(start("task"));
    pause(start("signal"));
    var _ = start("signal");
    var _ = start("timed");
    var _ = start("timer");
  }

  private void hold(String requestId) {
    var stub = OperationServiceGrpc.newBlockingStub(services.channel);
    var claim =
        stub.beginOperation(
                BeginOperationRequest.newBuilder()
                    .setOperation("pay")
                    .setRequestId(requestId)
                    .build())
            .getAcquired()
            .getClaim();
    var _ =
        stub.failOperation(
            FailOperationRequest.newBuilder()
                .setClaim(claim)
                .setKind(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT)
                .build());
  }

  private void define(String name, StepDefinition.Builder step) {
    var _ =
        DefinitionServiceGrpc.newBlockingStub(services.channel)
            .registerDefinition(
                RegisterDefinitionRequest.newBuilder()
                    .setName(name)
                    .setVersion("1")
                    .addSteps(step.setName("step"))
                    .build());
  }

  private String start(String definition) {
    return RunServiceGrpc.newBlockingStub(services.channel)
        .startRun(StartRunRequest.newBuilder().setDefinition(definition).build())
        .getRun()
        .getId();
  }

  private void fail(String runId) {
    var stub = WorkerServiceGrpc.newBlockingStub(services.channel);
    var polling = PollTasksRequest.newBuilder().addQueues("q").setWorkerId("w").build();
    var task = stub.pollTasks(polling).getTasks(0);
    assertThat(task.getRun().getId()).isEqualTo(runId);
    var _ =
        stub.failTask(
            FailTaskRequest.newBuilder()
                .setClaim(task.getClaim())
                .setKind(FailureKind.FAILURE_KIND_FINAL)
                .setFailure(Failure.newBuilder().setCode("NO"))
                .build());
  }

  private void pause(String runId) {
    var _ =
        RunServiceGrpc.newBlockingStub(services.channel)
            .pauseRun(PauseRunRequest.newBuilder().setRunId(runId).build());
  }

  private List<HeldClaim> list(ListClaimsRequest.Builder request) {
    var claims = new ArrayList<HeldClaim>();
    do {
      var page = services.entities().listClaims(request.build());
      claims.addAll(page.getClaimsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return claims;
  }

  private static String text(HeldClaim claim) {
    var kind = claim.getKind().name().substring("CLAIM_KIND_".length());
    return switch (claim.getSubjectCase()) {
      case ENTITY -> kind + " " + claim.getEntity().getId();
      case OPERATION -> kind + " " + claim.getOperation().getRequestId();
      case RUN_ID -> kind;
      case SUBJECT_NOT_SET -> "nothing";
    };
  }

  @Test
  @DisplayName("given one claim of every kind, then all are listed for every page size")
  void all() {
    var all = list(ListClaimsRequest.newBuilder());
    assertThat(all)
        .extracting(ClaimListTest::text)
        .containsExactly(
            "ENTITY_CLAIMED inv-1",
            "ENTITY_RECOVERING inv-2",
            "ENTITY_CLAIMED inv-4",
            "OPERATION_INDETERMINATE " + all.get(3).getOperation().getRequestId(),
            "OPERATION_INDETERMINATE " + all.get(4).getOperation().getRequestId(),
            "RUN_FAILED",
            "RUN_PAUSED",
            "RUN_AWAITING");
    assertThat(all.subList(3, 5))
        .extracting(claim -> claim.getOperation().getRequestId())
        .containsExactlyInAnyOrder("op-1", "op-2");
    assertThat(all).allMatch(HeldClaim::hasSince).noneMatch(claim -> claim.getFreedBy().isEmpty());
    assertThat(all.getFirst().hasLeaseUntil()).isTrue();
    assertThat(all.getFirst().getEntity().getClaim().getHolder()).isEqualTo("ann");
    assertThat(all.get(3).hasLeaseUntil()).isFalse();
    assertThat(all.get(3).getFreedBy()).isEqualTo("ResolveOperation");
    for (var size = 1; size <= 9; size++) {
      assertThat(list(ListClaimsRequest.newBuilder().setPageSize(size))).isEqualTo(all);
    }
    assertThat(services.entities().listClaims(ListClaimsRequest.getDefaultInstance()))
        .satisfies(page -> assertThat(page.getClaimsCount()).isEqualTo(8));
  }

  @Test
  @DisplayName("given an operation with HOLD, when its lease expires, then it is listed [C6]")
  void leftByItsHolder() {
    var operations =
        ListClaimsRequest.newBuilder().addKinds(ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE);
    var before = list(operations.clone());
    // the newest comes first
    services.clock.advance(java.time.Duration.ofSeconds(1));
    var stub = OperationServiceGrpc.newBlockingStub(services.channel);
    for (var onStale : List.of(OnStale.ON_STALE_HOLD, OnStale.ON_STALE_TAKE_OVER)) {
      var _ =
          stub.beginOperation(
              BeginOperationRequest.newBuilder()
                  .setOperation("pay")
                  .setRequestId(onStale.name())
                  .setOnStale(onStale)
                  .setLease(Duration.newBuilder().setSeconds(10))
                  .build());
    }
    assertThat(list(operations.clone())).isEqualTo(before);

    services.clock.advance(java.time.Duration.ofSeconds(10));

    var found = list(operations.clone());
    assertThat(found).hasSize(before.size() + 1).containsAll(before);
    assertThat(found.getFirst().getOperation().getRequestId())
        .isEqualTo(OnStale.ON_STALE_HOLD.name());
    assertThat(found.getFirst().getOperation().getState())
        .isEqualTo(OperationState.OPERATION_STATE_IN_PROGRESS);
    assertThat(found.getFirst().getFreedBy()).isEqualTo("ResolveOperation");
  }

  @Test
  @DisplayName(
      "given filters by kind, lifecycle, time and workspace, then only matching claims are listed")
  void filters() {
    assertThat(
            list(
                ListClaimsRequest.newBuilder()
                    .addKinds(ClaimKind.CLAIM_KIND_RUN_FAILED)
                    .addKinds(ClaimKind.CLAIM_KIND_ENTITY_RECOVERING)
                    .setPageSize(1)))
        .extracting(ClaimListTest::text)
        .containsExactly("ENTITY_RECOVERING inv-2", "RUN_FAILED");
    assertThat(list(ListClaimsRequest.newBuilder().setLifecycle("billing"))).hasSize(3);
    assertThat(list(ListClaimsRequest.newBuilder().setLifecycle("orders"))).isEmpty();
    assertThat(
            list(
                ListClaimsRequest.newBuilder()
                    .setLifecycle("billing")
                    .addKinds(ClaimKind.CLAIM_KIND_RUN_FAILED)))
        .isEmpty();
    var before = services.clock.instant().minusSeconds(60);
    assertThat(
            list(
                ListClaimsRequest.newBuilder()
                    .setSinceBefore(Timestamp.newBuilder().setSeconds(before.getEpochSecond()))))
        .extracting(ClaimListTest::text)
        .containsExactly("ENTITY_RECOVERING inv-2");
    assertThat(list(ListClaimsRequest.newBuilder().setWorkspace("elsewhere"))).isEmpty();
  }

  @Test
  @DisplayName("given invalid fields, then the error names them [X4]")
  void refused() {
    var stub = services.entities();
    for (var token : List.of("x", "ENTITIES.x", "OPERATIONS.AAAA", "FAILED_RUNS.!", "NOTHING.")) {
      var request = ListClaimsRequest.newBuilder().setPageToken(token).build();
      assertThat(Refusal.of(() -> stub.listClaims(request)).fields()).containsExactly("page_token");
    }
    var elsewhere =
        ListClaimsRequest.newBuilder()
            .addKinds(ClaimKind.CLAIM_KIND_RUN_FAILED)
            .setPageToken("ENTITIES.")
            .build();
    assertThat(Refusal.of(() -> stub.listClaims(elsewhere)).fields()).containsExactly("page_token");
    for (var kind : List.of(0, 77)) {
      var request =
          ListClaimsRequest.newBuilder()
              .addKinds(ClaimKind.CLAIM_KIND_RUN_FAILED)
              .addKindsValue(kind)
              .build();
      assertThat(Refusal.of(() -> stub.listClaims(request)).fields()).containsExactly("kinds[1]");
    }
    var many = ListClaimsRequest.newBuilder();
    for (var i = 0; i < 101; i++) {
      many.addKinds(ClaimKind.CLAIM_KIND_RUN_FAILED);
    }
    assertThat(Refusal.of(() -> stub.listClaims(many.build())).fields()).containsExactly("kinds");
  }
}
