package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.domain.security.ApiKey;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

class PrincipalIT {
  private static final String BOSS = "api-key:boss";
  private static final String CREW = "api-key:crew";
  private static final String APP = "api-key:app";

  private static final Deployment DEPLOYMENT = SecuredDeployment.shared().deployment();
  private static final ApiKeys KEYS = new ApiKeys(DEPLOYMENT.database());
  private static final ApiKey BOSS_KEY = KEYS.create("boss", "role=admin workspace=*");
  private static final ApiKey CREW_KEY = KEYS.create("crew", "role=worker workspace=*");
  private static final ApiKey MAIL_KEY =
      KEYS.create("mailer", "role=worker workspace=* queue=mail");
  private static final ApiKey APP_KEY = KEYS.create("app", "role=application workspace=*");

  @BeforeAll
  static void awaitKeys() {
    try (var caller = DEPLOYMENT.caller();
        var accepted = caller.as(APP_KEY)) {
      Condition.await("the last key is accepted", () -> isAccepted(accepted));
    }
  }

  private static boolean isAccepted(Caller caller) {
    try {
      var _ = new RunCaller(caller).list();
      return true;
    } catch (StatusRuntimeException _) {
      return false;
    }
  }

  private static List<Tuple> told(List<RunEvent> events) {
    return events.stream()
        .map(
            event ->
                tuple(
                    event.getType().name().replace("RUN_EVENT_TYPE_", ""),
                    event.getActor(),
                    event.getPrincipal()))
        .toList();
  }

  @Test
  @DisplayName(
      "given a worker narrowed to a queue, when it presents the claim of another queue's task, then"
          + " all six calls are refused, and the task stays held [black-box-D1]")
  void otherQueue() {
    try (var anyone = DEPLOYMENT.caller();
        var owner = new RunCaller(anyone.as(BOSS_KEY));
        var worker = new RunCaller(anyone.as(CREW_KEY));
        var mailer = new RunCaller(anyone.as(MAIL_KEY))) {
      owner.define("parcel", RunCaller.task("a"));
      var _ = owner.started("parcel");
      var claim = worker.poll("worker-1").getClaim();
      var calls = mailer.worker();
      assertThat(
              Stream.<ThrowingCallable>of(
                      () -> calls.completeTask(mailer.completion(claim).build()),
                      () ->
                          calls.failTask(
                              owner.failure(claim, FailureKind.FAILURE_KIND_FINAL).build()),
                      () ->
                          calls.suspendTask(
                              SuspendTaskRequest.newBuilder()
                                  .setClaim(claim)
                                  .setDuration(Caller.seconds(9))
                                  .build()),
                      () ->
                          calls.recordStep(
                              RecordStepRequest.newBuilder().setClaim(claim).setName("n").build()),
                      () ->
                          calls.releaseTask(
                              ReleaseTaskRequest.newBuilder().setClaim(claim).build()),
                      () ->
                          calls.heartbeatTasks(
                              HeartbeatTasksRequest.newBuilder().addClaims(claim).build()))
                  .map(Refusal::of)
                  .toList())
          .allSatisfy(
              refusal -> {
                assertThat(refusal.code()).isEqualTo(Code.PERMISSION_DENIED);
                assertThat(refusal.metadata())
                    .containsEntry("permission", "work")
                    .containsEntry("workspace", owner.workspace());
              });
      assertThat(worker.complete(claim, "1").hasCompleted()).isTrue();
    }
  }

  @Test
  @DisplayName("given calls of three principals, then each event of a run has the one that acted")
  void run() {
    try (var anyone = DEPLOYMENT.caller();
        var owner = new RunCaller(anyone.as(BOSS_KEY));
        var starter = new RunCaller(anyone.as(APP_KEY));
        var worker = new RunCaller(anyone.as(CREW_KEY))) {
      owner.define("order", RunCaller.task("a"), RunCaller.task("b"), RunCaller.task("c"));
      var run = starter.send(starter.start("order").setActor("shop")).getRun().getId();
      var _ = starter.signal(run, "s", "type");
      var first = worker.poll("worker-1").getClaim();
      record(worker, first);
      hook(worker, run, first, "token-" + run);
      hookSignal(starter, "token-" + run);
      var next =
          worker
              .worker()
              .completeTask(worker.completion(first).setWantNext(true).build())
              .getCompleted()
              .getNext()
              .getClaim();
      // the claim is the proof: another principal may present it, and is the one that is recorded
      var _ = owner.complete(next, "1");
      pause(owner, run);
      cancel(owner, run);

      assertThat(told(worker.events(run)))
          .containsExactly(
              tuple("CREATED", "shop", APP),
              tuple("SIGNAL_RECEIVED", "client", APP),
              tuple("STEP_STARTED", "worker-1", CREW),
              tuple("STEP_RECORDED", "worker-1", CREW),
              tuple("HOOK_CREATED", "client", CREW),
              tuple("SIGNAL_RECEIVED", "client", APP),
              tuple("STEP_COMPLETED", "worker-1", CREW),
              tuple("STEP_STARTED", "worker-1", CREW),
              tuple("STEP_COMPLETED", "worker-1", BOSS),
              tuple("PAUSED", "olga", BOSS),
              tuple("CANCELLED", "olga", BOSS));
      var definition =
          DefinitionServiceGrpc.newBlockingStub(owner.caller().channel())
              .getDefinition(
                  GetDefinitionRequest.newBuilder()
                      .setWorkspace(owner.workspace())
                      .setName("order")
                      .build())
              .getDefinition();
      assertThat(definition.getRegisteredBy()).isEqualTo("client");
      assertThat(definition.getRegisteredByPrincipal()).isEqualTo(BOSS);
    }
  }

  private static void record(RunCaller worker, Claim claim) {
    var _ =
        worker
            .worker()
            .recordStep(
                RecordStepRequest.newBuilder()
                    .setWorkspace(worker.workspace())
                    .setClaim(claim)
                    .setName("named")
                    .setOutput(Caller.json("1"))
                    .build());
  }

  private static void hook(RunCaller worker, String run, Claim claim, String token) {
    var _ =
        HookServiceGrpc.newBlockingStub(worker.caller().channel())
            .createHook(
                CreateHookRequest.newBuilder()
                    .setWorkspace(worker.workspace())
                    .setRunId(run)
                    .setClaim(claim)
                    .setToken(token)
                    .build());
  }

  private static void hookSignal(RunCaller sender, String token) {
    var _ =
        HookServiceGrpc.newBlockingStub(sender.caller().channel())
            .signalHook(
                SignalHookRequest.newBuilder()
                    .setWorkspace(sender.workspace())
                    .setToken(token)
                    .setSignal(NewSignal.newBuilder().setSignalId("h").setType("type"))
                    .build());
  }

  private static void pause(RunCaller operator, String run) {
    var _ =
        operator
            .runs()
            .pauseRun(
                PauseRunRequest.newBuilder()
                    .setWorkspace(operator.workspace())
                    .setRunId(run)
                    .setActor("olga")
                    .build());
  }

  private static void cancel(RunCaller operator, String run) {
    var _ =
        operator
            .runs()
            .cancelRun(
                CancelRunRequest.newBuilder()
                    .setWorkspace(operator.workspace())
                    .setRunId(run)
                    .setActor("olga")
                    .build());
  }

  @Test
  @DisplayName("given streams, then runs that they start and tasks that wait have the principal")
  void streams() throws Exception {
    try (var anyone = DEPLOYMENT.caller();
        var owner = new RunCaller(anyone.as(BOSS_KEY));
        var starter = new RunCaller(anyone.as(APP_KEY));
        var worker = new RunCaller(anyone.as(CREW_KEY))) {
      owner.define("order", RunCaller.task("a"), RunCaller.task("b"));
      var answers = new Received<WorkResponse>();
      var work = WorkerServiceGrpc.newStub(worker.caller().channel()).work(answers);
      work.onNext(
          WorkRequest.newBuilder()
              .setOpen(
                  WorkRequest.Open.newBuilder()
                      .setWorkspace(worker.workspace())
                      .addQueues(RunCaller.QUEUE)
                      .setWorkerId("streamer"))
              .setCredit(1)
              .build());
      var run = startOnStream(starter);
      work.onNext(completion(task(answers), 1));
      work.onNext(WorkRequest.newBuilder().setCredit(1).build());
      work.onNext(completion(task(answers), 2));
      var _ = starter.awaitEnd(run);
      work.onCompleted();

      assertThat(told(worker.events(run)))
          .containsExactly(
              tuple("CREATED", "client", APP),
              tuple("STEP_STARTED", "streamer", CREW),
              tuple("STEP_COMPLETED", "streamer", CREW),
              tuple("STEP_STARTED", "streamer", CREW),
              tuple("STEP_COMPLETED", "streamer", CREW),
              tuple("COMPLETED", "server", ""));
    }
  }

  private static String startOnStream(RunCaller starter) throws InterruptedException {
    var answers = new Received<StartRunStreamResponse>();
    var starts = RunServiceGrpc.newStub(starter.caller().channel()).startRunStream(answers);
    starts.onNext(
        StartRunStreamRequest.newBuilder()
            .addCalls(
                StartRunStreamRequest.Call.newBuilder()
                    .setCallId(1)
                    .setStartRun(starter.start("order")))
            .build());
    var answer = answers.await(each -> each.getAnswersCount() > 0);
    starts.onCompleted();
    return answer.getAnswers(0).getStartRun().getRun().getId();
  }

  private static Task task(Received<WorkResponse> answers) throws InterruptedException {
    return answers.await(each -> each.getTasksCount() > 0).getTasks(0);
  }

  private static WorkRequest completion(Task task, int callId) {
    return WorkRequest.newBuilder()
        .addCalls(
            WorkRequest.Call.newBuilder()
                .setCallId(callId)
                .setCompleteTask(CompleteTaskRequest.newBuilder().setClaim(task.getClaim())))
        .build();
  }

  @Test
  @DisplayName("given an entity, then its events, claim, lifecycle and janitor have the principal")
  void entity() {
    try (var anyone = DEPLOYMENT.caller();
        var owner = new ClaimCaller(new RunCaller(anyone.as(BOSS_KEY)));
        var clerk = new ClaimCaller(new RunCaller(anyone.as(APP_KEY)));
        var module = new ClaimCaller(new RunCaller(anyone.as(CREW_KEY)))) {
      owner.declare(ClaimCaller.remote());
      var _ = owner.apply(ClaimCaller.BILLING);
      var _ = clerk.approved("1");
      var _ = clerk.granted(clerk.begin("1").setActor("ann").setLease(Caller.millis(100)));
      var claim = clerk.get("1").getClaim();
      var recovery = module.recovery("module-1");
      var recovering = clerk.get("1").getClaim();
      var _ = module.recover(recovery.getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
      var _ = clerk.complete(clerk.claimed("1"));
      var _ = clerk.granted(clerk.begin("1", "correct", "admin"));
      var _ = owner.entities().releaseClaim(owner.release("1", "r").build());

      assertThat(claim.getHolder()).isEqualTo("ann");
      assertThat(claim.getHolderPrincipal()).isEqualTo(APP);
      assertThat(recovering.getRecoveringBy()).isEqualTo("module-1");
      assertThat(recovering.getRecoveringByPrincipal()).isEqualTo(CREW);
      assertThat(clerk.events("1"))
          .extracting(
              event -> event.getType().name(), EntityEvent::getActor, EntityEvent::getPrincipal)
          .containsExactly(
              tuple("ENTITY_EVENT_TYPE_CREATED", "client", APP),
              tuple("ENTITY_EVENT_TYPE_ACTION_BEGAN", "ann", APP),
              tuple("ENTITY_EVENT_TYPE_RECOVERY_BEGAN", "module-1", CREW),
              tuple("ENTITY_EVENT_TYPE_RECOVERED", "client", CREW),
              tuple("ENTITY_EVENT_TYPE_ACTION_BEGAN", "admin", APP),
              tuple("ENTITY_EVENT_TYPE_ACTION_COMPLETED", "admin", APP),
              tuple("ENTITY_EVENT_TYPE_ACTION_BEGAN", "admin", APP),
              tuple("ENTITY_EVENT_TYPE_CLAIM_RELEASED", "operator", BOSS));
      assertThat(owner.listJanitors().getFirst().getDeclaredByPrincipal()).isEqualTo(BOSS);
      var lifecycle =
          owner
              .lifecycles()
              .getLifecycle(
                  GetLifecycleRequest.newBuilder()
                      .setWorkspace(owner.workspace())
                      .setName(ClaimCaller.LIFECYCLE)
                      .build());
      assertThat(lifecycle.getLifecycle().getAppliedByPrincipal()).isEqualTo(BOSS);
    }
  }

  @Test
  @DisplayName("given a sweep that a caller starts, then what it reverts has its principal")
  void sweep() {
    try (var anyone = DEPLOYMENT.caller();
        var owner = new ClaimCaller(new RunCaller(anyone.as(BOSS_KEY)))) {
      owner.declare(ClaimCaller.contract());
      var _ = owner.apply(ClaimCaller.BILLING);
      var _ = owner.approved("1");
      var _ = owner.claimedShortly("1");
      owner.sweepUntilFreed(1);

      var reverted = owner.events("1").getLast();
      assertThat(reverted.getActor()).isEqualTo("janitor accounting");
      assertThat(reverted.getPrincipal()).isEqualTo(BOSS);
    }
  }

  @Test
  @DisplayName("given a resolved operation, then it has the principal, also once it has ended")
  void operation() {
    try (var anyone = DEPLOYMENT.caller();
        var owner = anyone.as(BOSS_KEY);
        var caller = anyone.as(APP_KEY)) {
      for (var release : List.of(true, false)) {
        var key = "order-" + release;
        var _ = caller.acquire(key);
        var resolution = owner.resolution(key).setActor("olga");
        var _ =
            owner
                .calls()
                .resolveOperation(
                    (release
                            ? resolution.setRelease(
                                ResolveOperationRequest.Release.getDefaultInstance())
                            : resolution.setReject(Caller.failure("DECLINED")))
                        .build());
        var resolved = caller.get(key);
        assertThat(resolved.getResolvedBy()).isEqualTo("olga");
        assertThat(resolved.getResolvedByPrincipal()).isEqualTo(BOSS);
      }
    }
  }

  @Test
  @DisabledIfSystemProperty(named = "hapax.secured", matches = "true")
  @DisplayName("given a server without authentication, then events and records have no principal")
  void unauthenticated() {
    try (var caller = ClaimCaller.to(Deployment.shared().target())) {
      var _ = caller.approved("1");
      var _ = caller.claimed("1");
      caller.runs().define("order", RunCaller.task("a"));
      var run = caller.runs().started("order");
      var _ = caller.runs().complete(caller.runs().poll("worker").getClaim(), "1");

      assertThat(caller.runs().events(run)).allMatch(event -> event.getPrincipal().isEmpty());
      assertThat(caller.events("1")).allMatch(event -> event.getPrincipal().isEmpty());
      for (var stored :
          List.of(
              "run_event WHERE coalesce(principal, then_principal) IS NOT NULL",
              "entity_event WHERE principal IS NOT NULL",
              "entity WHERE coalesce(holder_principal, worker_principal) IS NOT NULL",
              "definition WHERE registered_by_principal IS NOT NULL",
              "lifecycle WHERE applied_by_principal IS NOT NULL",
              "janitor WHERE declared_by_principal IS NOT NULL")) {
        assertThat(
                Deployment.shared()
                    .database()
                    .query(
                        "SELECT count(*) FROM hapax.%s AND workspace = '%s'"
                            .formatted(stored, caller.workspace())))
            .as(stored)
            .isEqualTo("0");
      }
    }
  }
}
