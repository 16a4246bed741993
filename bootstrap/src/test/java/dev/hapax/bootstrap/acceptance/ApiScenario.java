package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.ListLimitsRequest;
import dev.hapax.v1.ListProblemsRequest;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.ListServersRequest;
import dev.hapax.v1.ListWorkersRequest;
import dev.hapax.v1.ListWorkspacesRequest;
import dev.hapax.v1.NudgeIntentsRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.WhoAmIRequest;
import io.grpc.StatusRuntimeException;
import java.util.List;

/** Calls every unary method in a workspace, most of them with success, in the same order. */
final class ApiScenario {
  private static final String CODED = "coded";

  private final Caller caller;
  private final RunCaller runs;
  private final ClaimCaller claims;

  ApiScenario(Caller caller) {
    this.caller = caller;
    this.runs = new RunCaller(caller);
    this.claims = new ClaimCaller(runs);
  }

  void play() {
    operations();
    runs.define(RunRpc.DEFINITION, RunCaller.task("a"));
    runs.define(CODED, coded());
    reads();
    tasks();
    controls();
    entities();
    monitoring();
  }

  private static StepDefinition coded() {
    return StepDefinition.newBuilder()
        .setName("code")
        .setCode(CodeStep.newBuilder().setQueue(RunCaller.QUEUE))
        .build();
  }

  private void operations() {
    var claim = caller.acquire("done");
    for (var rpc : List.of(Rpc.RENEW, Rpc.COMPLETE, Rpc.GET, Rpc.BEGIN, Rpc.LIST)) {
      send(rpc.example(caller, "done", claim));
    }
    send(Rpc.FAIL.example(caller, "failed", caller.acquire("failed")));
    var _ = caller.fail(caller.acquire("unknown"), FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
    send(Rpc.RESOLVE.example(caller, "unknown", claim));
  }

  private void reads() {
    var run = runs.started(RunRpc.DEFINITION);
    var claim = Claim.getDefaultInstance();
    for (var rpc :
        List.of(
            RunRpc.REGISTER,
            RunRpc.GET_DEFINITION,
            RunRpc.LIST_DEFINITIONS,
            RunRpc.START,
            RunRpc.START_MANY,
            RunRpc.SIGNAL,
            RunRpc.GET,
            RunRpc.LIST,
            RunRpc.EVENTS,
            RunRpc.STEPS,
            RunRpc.EXPLAIN,
            RunRpc.AWAIT,
            RunRpc.CANCEL)) {
      send(rpc.example(runs, run, claim));
    }
    // an error, with its details
    send(RunRpc.RETRY.example(runs, run, claim));
    // the run of the key
    send(RunRpc.COMPLETE.example(runs, "", runs.poll("worker").getClaim()));
  }

  /** Each way in which a task can end. */
  private void tasks() {
    for (var rpc : List.of(RunRpc.SUSPEND, RunRpc.RELEASE, RunRpc.FAIL, RunRpc.COMPLETE)) {
      var run = runs.started(RunRpc.DEFINITION);
      var claim = runs.poll("worker").getClaim();
      send(RunRpc.HEARTBEAT.example(runs, run, claim));
      send(rpc.example(runs, run, claim));
      send(RunRpc.CANCEL.example(runs, run, claim));
    }
    var run = runs.started(CODED);
    var claim = runs.poll("worker").getClaim();
    for (var rpc :
        List.of(
            RunRpc.RECORD,
            RunRpc.RECORDS,
            RunRpc.CREATE_HOOK,
            RunRpc.GET_HOOK,
            RunRpc.SIGNAL_HOOK,
            RunRpc.DISPOSE_HOOK,
            RunRpc.COMPLETE)) {
      send(rpc.example(runs, run, claim));
    }
    send(RunRpc.STEPS.example(runs, run, claim));
  }

  private void controls() {
    var run = runs.started(RunRpc.DEFINITION);
    var claim = runs.poll("worker").getClaim();
    for (var rpc :
        List.of(
            RunRpc.PAUSE, RunRpc.RESUME, RunRpc.FAIL, RunRpc.SETTLE, RunRpc.RETRY, RunRpc.CANCEL)) {
      send(rpc.example(runs, run, claim));
    }
  }

  private void entities() {
    claims.declare(ClaimCaller.remote());
    var _ = claims.apply(ClaimCaller.BILLING);
    var _ = claims.approved(ClaimRpc.ENTITY);
    for (var rpc : List.of(ClaimRpc.VALIDATE, ClaimRpc.CREATE)) {
      send(rpc.example(claims, Claim.getDefaultInstance()));
    }
    var claim = claims.claimed(ClaimRpc.ENTITY);
    for (var rpc : List.of(ClaimRpc.RENEW, ClaimRpc.CLAIMS, ClaimRpc.FAIL, ClaimRpc.BEGIN)) {
      send(rpc.example(claims, claim));
    }
    send(ClaimRpc.RELEASE.example(claims, claim));
    send(ClaimRpc.COMPLETE.example(claims, claims.claimed(ClaimRpc.ENTITY)));
    var _ = claims.approved("lost");
    var _ = claims.claimedShortly("lost");
    var _ =
        claims.recover(
            claims.recovery("module").getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
    for (var rpc :
        List.of(
            ClaimRpc.GET,
            ClaimRpc.LIST,
            ClaimRpc.EVENTS,
            ClaimRpc.GET_LIFECYCLE,
            ClaimRpc.LIST_LIFECYCLES,
            ClaimRpc.DELETE,
            ClaimRpc.LIST_JANITORS,
            ClaimRpc.DECLARE,
            ClaimRpc.SWEEP)) {
      send(rpc.example(claims, claim));
    }
    var _ = claims.approved("failed");
    var _ = claims.fail(claims.claimed("failed"), ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION);
  }

  private void monitoring() {
    var workspace = caller.workspace();
    send(ListQueuesRequest.newBuilder().setWorkspace(workspace));
    send(ListWorkersRequest.newBuilder().setWorkspace(workspace));
    send(SetLimitRequest.newBuilder().setWorkspace(workspace).setName("api").setMaxRunning(2));
    send(ListLimitsRequest.newBuilder().setWorkspace(workspace));
    send(CountRunsRequest.newBuilder().setWorkspace(workspace));
    send(ListProblemsRequest.newBuilder().setWorkspace(workspace));
    send(ListServersRequest.newBuilder());
    send(ListWorkspacesRequest.newBuilder());
    send(ListIntentsRequest.newBuilder().setWorkspace(workspace));
    send(NudgeIntentsRequest.newBuilder().setWorkspace(workspace));
    send(
        AwaitIntentRequest.newBuilder()
            .setWorkspace(workspace)
            .setTicket("intent_00000000000000000000000000")
            .setWait(Caller.millis(1)));
    send(GetServerInfoRequest.newBuilder());
    send(WhoAmIRequest.newBuilder());
  }

  private void send(Message.Builder request) {
    try {
      var _ = ApiMethods.call(caller, request.build());
    } catch (StatusRuntimeException _) {
      // compared as well
    }
  }
}
