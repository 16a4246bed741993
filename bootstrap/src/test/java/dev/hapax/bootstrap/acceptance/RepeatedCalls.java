package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.SuspendTaskRequest;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** What is sent again after lost answers: each method that changes something. */
final class RepeatedCalls {
  /** What requests for a lease ask for. */
  static final Duration LEASE = Caller.seconds(3_600);

  private static final String TOKEN = "order/1";

  private RepeatedCalls() {}

  /**
   * A call in a new workspace.
   *
   * @param name the method, and what is special about this call
   * @param request prepares the workspace, and need not name it
   * @param meanwhile what others do after the first answer was lost
   */
  record Case(
      String name,
      Function<ClaimCaller, MessageOrBuilder> request,
      Consumer<ClaimCaller> meanwhile) {

    Case meanwhile(Consumer<ClaimCaller> actions) {
      return new Case(name, request, actions);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Case entity(String name, Function<ClaimCaller, MessageOrBuilder> request) {
    return new Case(name, request, _ -> {});
  }

  private static Case operation(String name, Function<Caller, MessageOrBuilder> request) {
    return entity(name, caller -> request.apply(caller.runs().caller()));
  }

  private static Case run(String name, Function<RunCaller, MessageOrBuilder> request) {
    return entity(name, caller -> request.apply(caller.runs()));
  }

  private static Case hook(String name, Function<HookCaller, MessageOrBuilder> request) {
    return run(name, runs -> request.apply(new HookCaller(runs)));
  }

  static List<Case> all() {
    return Stream.of(operations(), runs(), tasks(), hooks(), contracts(), entities(), recoveries())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Case> operations() {
    return List.of(
        operation("BeginOperation", c -> c.begin("key")),
        operation(
            "BeginOperation, a take-over",
            c -> {
              var _ = c.acquireShortly("key");
              Deployment.shared().awaitLeasesOver(c);
              return c.begin("key");
            }),
        operation("CompleteOperation", c -> c.completion(c.acquire("key"), Caller.json("1"))),
        operation(
            "CompleteOperation, an account change",
            c ->
                CompleteOperationRequest.newBuilder()
                    .setClaim(c.acquire(c.begin("key").setAccountChanging(true)).getClaim())
                    .setAccountAfter("account-2")),
        operation("FailOperation, retryable", c -> failed(c, FailureKind.FAILURE_KIND_RETRYABLE)),
        operation("FailOperation, final", c -> failed(c, FailureKind.FAILURE_KIND_FINAL)),
        operation(
            "FailOperation, unknown effect",
            c -> failed(c, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT)),
        operation(
                "FailOperation, while a rival holds the key",
                c -> failed(c, FailureKind.FAILURE_KIND_RETRYABLE))
            .meanwhile(c -> c.runs().caller().acquire("key")),
        operation(
                "FailOperation, after a rival completed the key",
                c -> failed(c, FailureKind.FAILURE_KIND_RETRYABLE))
            .meanwhile(c -> completed(c.runs().caller())),
        operation("RenewOperation", c -> c.renewal(c.acquireShortly("key"), LEASE)),
        operation(
            "ResolveOperation, complete",
            c -> resolved(c, r -> r.getCompleteBuilder().setResult(Caller.json("1")))),
        operation(
            "ResolveOperation, reject",
            c -> resolved(c, r -> r.setReject(Caller.failure("BY_HAND")))),
        operation(
            "ResolveOperation, release",
            c -> resolved(c, ResolveOperationRequest.Builder::getReleaseBuilder)),
        operation(
                "ResolveOperation, after a second release and a result",
                c -> resolved(c, ResolveOperationRequest.Builder::getReleaseBuilder))
            .meanwhile(
                c -> {
                  var operations = c.runs().caller();
                  var release =
                      resolved(operations, ResolveOperationRequest.Builder::getReleaseBuilder);
                  var _ = operations.calls().resolveOperation(release.build());
                  completed(operations);
                }));
  }

  private static Message failed(Caller caller, FailureKind kind) {
    return caller.failure(caller.acquire("key"), kind, Caller.failure("DECLINED"));
  }

  private static ResolveOperationRequest.Builder resolved(
      Caller caller, Consumer<ResolveOperationRequest.Builder> verdict) {
    var _ = caller.acquire("key");
    var request = caller.resolution("key");
    verdict.accept(request);
    return request;
  }

  private static void completed(Caller caller) {
    var _ = caller.complete(caller.acquire("key"), Caller.json("1"));
  }

  private static List<Case> runs() {
    return List.of(
        run(
            "RegisterDefinition",
            _ ->
                RegisterDefinitionRequest.newBuilder()
                    .setName("another")
                    .setVersion("1")
                    .addSteps(RunCaller.task("a"))),
        run("StartRun", c -> c.start("order").setIdempotencyKey("key")),
        run("StartRun, in place of a failed run", RepeatedCalls::corrected),
        run("StartRun, in place of a failed run, after it failed too", RepeatedCalls::corrected)
            .meanwhile(c -> failTask(c.runs())),
        run(
            "StartRuns",
            c ->
                StartRunsRequest.newBuilder()
                    .addRequests(c.start("order").setIdempotencyKey("one"))
                    .addRequests(c.start("order").setIdempotencyKey("two"))),
        run(
            "SignalRun",
            c ->
                SignalRunRequest.newBuilder()
                    .setRunId(c.started("order"))
                    .setSignal(HookCaller.signal("signal"))),
        run(
            "CancelRun",
            c -> CancelRunRequest.newBuilder().setRunId(c.started("order")).setExpectedVersion(1)),
        run("PauseRun", RepeatedCalls::pause),
        run(
            "ResumeRun",
            c -> {
              var pause = pause(c);
              var _ = c.runs().pauseRun(pause.build());
              return ResumeRunRequest.newBuilder().setRunId(pause.getRunId()).setExpectedVersion(3);
            }),
        run("RetryRun", RepeatedCalls::retry),
        run("RetryRun, after the step failed again", RepeatedCalls::retry)
            .meanwhile(c -> failTask(c.runs())),
        run("SettleStep", RepeatedCalls::settle),
        run("SettleStep, after the step failed again", RepeatedCalls::settle)
            .meanwhile(c -> failTask(c.runs())),
        run(
            "SetLimit",
            _ -> SetLimitRequest.newBuilder().setName(LimitCaller.LIMIT).setMaxRunning(2)));
  }

  private static StartRunRequest.Builder corrected(RunCaller caller) {
    var start = caller.start("order").setIdempotencyKey("key");
    var _ = caller.send(start);
    failTask(caller);
    return start
        .setInput(Caller.json("1"))
        .setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED);
  }

  private static SettleStepRequest.Builder settle(RunCaller caller) {
    return SettleStepRequest.newBuilder()
        .setRunId(retry(caller).getRunId())
        .setStepName("a")
        .setRepeat(Empty.getDefaultInstance())
        .setReason("bank ticket 81")
        .setRequestId("request");
  }

  private static PauseRunRequest.Builder pause(RunCaller caller) {
    var id = caller.started("order");
    var _ = caller.poll("worker");
    return PauseRunRequest.newBuilder()
        .setWorkspace(caller.workspace())
        .setRunId(id)
        .setExpectedVersion(2);
  }

  private static RetryRunRequest.Builder retry(RunCaller caller) {
    var id = caller.started("order");
    failTask(caller);
    return RetryRunRequest.newBuilder().setRunId(id).setRequestId("request");
  }

  private static void failTask(RunCaller caller) {
    var failure = caller.failure(claim(caller), FailureKind.FAILURE_KIND_FINAL);
    assertThat(caller.worker().failTask(failure.build()).hasFailed()).isTrue();
  }

  /** The claim of the task of the one run. */
  private static Claim claim(RunCaller caller) {
    return caller.poll("worker").getClaim();
  }

  private static Claim claimOfNewRun(RunCaller caller) {
    var _ = caller.started("order");
    return claim(caller);
  }

  private static List<Case> tasks() {
    return List.of(
        run(
            "PollTasks",
            c -> {
              var _ = c.started("order");
              return c.polling("worker");
            }),
        run(
            "CompleteTask",
            c ->
                c.completion(claimOfNewRun(c))
                    .setOutput(Caller.json("1"))
                    .setStatePatch(Caller.json("{\"n\":1}"))),
        run(
            "CompleteTask, which wants the next task",
            c -> c.completion(claimOfNewRun(c)).setWantNext(true)),
        run("FailTask, retryable", c -> failure(c, FailureKind.FAILURE_KIND_RETRYABLE)),
        run("FailTask, final", c -> failure(c, FailureKind.FAILURE_KIND_FINAL)),
        run("SuspendTask", RepeatedCalls::suspension),
        run("SuspendTask, after the wait ended", RepeatedCalls::suspension)
            .meanwhile(
                c -> {
                  var id = c.runs().list().getFirst().getId();
                  assertThat(c.runs().signal(id, "signal", "go").getDisposition())
                      .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
                  assertThat(c.runs().poll("worker").getStep().getAttempt()).isOne();
                }),
        run("ReleaseTask", RepeatedCalls::release),
        run("ReleaseTask, while the step is held again", RepeatedCalls::release)
            .meanwhile(c -> claim(c.runs())),
        run("ReleaseTask, after the step completed", RepeatedCalls::release)
            .meanwhile(c -> c.runs().complete(claim(c.runs()), "1")),
        run(
            "HeartbeatTasks",
            c -> HeartbeatTasksRequest.newBuilder().addClaims(claimOfNewRun(c)).setLease(LEASE)),
        run(
            "RecordStep",
            c ->
                RecordStepRequest.newBuilder()
                    .setClaim(claimOfNewRun(c))
                    .setName("charge")
                    .setOutput(Caller.json("1"))),
        run(
            "RecordStep, with parts",
            c ->
                RecordStepRequest.newBuilder()
                    .setClaim(claimOfNewRun(c))
                    .addParts(PartCaller.output("a", "1"))
                    .addParts(PartCaller.failure("b", 1))
                    .addParts(PartCaller.begin("c"))));
  }

  private static MessageOrBuilder failure(RunCaller caller, FailureKind kind) {
    return caller.failure(claimOfNewRun(caller), kind);
  }

  private static MessageOrBuilder suspension(RunCaller caller) {
    return SuspendTaskRequest.newBuilder()
        .setClaim(claimOfNewRun(caller))
        .setSignalFilter(SignalFilter.newBuilder().setType("go"));
  }

  private static MessageOrBuilder release(RunCaller caller) {
    return ReleaseTaskRequest.newBuilder()
        .setClaim(claimOfNewRun(caller))
        .setDelay(Caller.seconds(0));
  }

  private static List<Case> hooks() {
    return List.of(
        hook("StartRun, with a token", c -> start(c, OnConflict.ON_CONFLICT_REJECT)),
        hook(
            "StartRun, which supersedes",
            c -> {
              var _ = c.owner(TOKEN);
              return start(c, OnConflict.ON_CONFLICT_SUPERSEDE);
            }),
        hook(
            "StartRun, which signals the owner",
            c -> {
              var _ = c.owner(TOKEN);
              return start(c, OnConflict.ON_CONFLICT_SIGNAL_EXISTING)
                  .setSignal(HookCaller.signal("s"));
            }),
        hook("CreateHook", c -> c.creation(c.runs().started("order"), TOKEN)),
        hook(
            "SignalHook",
            c -> {
              var _ = c.owner(TOKEN);
              return c.toOwner(TOKEN, "s");
            }),
        hook(
            "DisposeHook",
            c -> DisposeHookRequest.newBuilder().setRunId(c.owner(TOKEN).getId()).setToken(TOKEN)));
  }

  private static StartRunRequest.Builder start(HookCaller caller, OnConflict policy) {
    return caller.start(TOKEN, policy).setIdempotencyKey("key");
  }

  private static List<Case> contracts() {
    return List.of(
        entity(
            "ApplyLifecycles",
            c -> c.application(ClaimCaller.BILLING.replace("SendBillingEmails", "SendLetters"))),
        entity(
            "ApplyLifecycles, which takes a status away",
            c ->
                c.application(
                    ClaimCaller.BILLING
                        .replace("\"draft\", ", "")
                        .replaceAll("\\{ \"step_id\": 10,[^}]*},", "")
                        .replace(
                            "\"successful_state\": \"draft\"",
                            "\"successful_state\": \"approved\""))),
        entity(
            "DeclareJanitor",
            c -> c.declaration(ClaimCaller.contract().setEvery(Caller.seconds(7)))));
  }

  private static List<Case> entities() {
    var invalid = ActionFailureKind.ACTION_FAILURE_KIND_INVALID;
    return List.of(
        entity("CreateEntity", c -> c.creation("1", "draft")),
        entity(
            "BeginAction",
            c -> {
              var _ = c.approved("1");
              return c.begin("1").setExpectedVersion(1);
            }),
        entity(
            "BeginAction, without a claim state",
            c -> {
              var _ = c.approved("1");
              return c.begin("1", "close", "system");
            }),
        entity(
            "RenewAction", c -> RenewActionRequest.newBuilder().setClaim(held(c)).setLease(LEASE)),
        entity("CompleteAction, with an effect", c -> c.completion(held(c))),
        entity(
            "CompleteAction, without a claim state",
            c -> {
              var _ = c.approved("1");
              return c.completion(c.granted(c.begin("1", "close", "system")).getClaim());
            }),
        entity("CompleteAction, while another action runs", c -> c.completion(held(c)))
            .meanwhile(c -> c.granted(c.begin("1", "correct", "admin"))),
        entity("CompleteAction, after another action completed", c -> c.completion(held(c)))
            .meanwhile(c -> c.complete(c.granted(c.begin("1", "correct", "admin")).getClaim())),
        entity("FailAction", c -> c.failure(held(c), invalid)),
        entity("FailAction, while another holder acts", c -> c.failure(held(c), invalid))
            .meanwhile(c -> c.claimed("1")),
        entity(
            "ReleaseClaim",
            c -> {
              var _ = held(c);
              return c.release("1", "request").setExpectedVersion(2);
            }),
        entity("DeleteEntity", RepeatedCalls::deletion),
        entity("DeleteEntity, after it was created again", RepeatedCalls::deletion)
            .meanwhile(c -> assertThat(c.approved("1").getVersion()).isEqualTo(3)),
        entity("DeleteEntity, after it was deleted again", RepeatedCalls::deletion)
            .meanwhile(
                c -> {
                  var _ = c.approved("1");
                  var other = c.deletion("1", "other").build();
                  assertThat(c.entities().deleteEntity(other).getAlready()).isFalse();
                  assertThat(c.approved("1").getVersion()).isEqualTo(5);
                }));
  }

  private static Claim held(ClaimCaller caller) {
    var _ = caller.approved("1");
    return caller.claimed("1");
  }

  private static MessageOrBuilder deletion(ClaimCaller caller) {
    return caller.deletion("1", "request").setExpectedVersion(caller.approved("1").getVersion());
  }

  private static List<Case> recoveries() {
    return List.of(
        entity(
            "PollRecoveries",
            c -> {
              stuck(c);
              return c.polling("worker");
            }),
        entity(
            "CompleteRecovery",
            c -> {
              stuck(c);
              return c.verdict(
                  c.recovery("worker").getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
            }));
  }

  /** An entity that only a remote janitor can free. */
  private static void stuck(ClaimCaller caller) {
    caller.declare(ClaimCaller.remote());
    var _ = caller.approved("1");
    var _ = caller.claimedShortly("1");
  }
}
