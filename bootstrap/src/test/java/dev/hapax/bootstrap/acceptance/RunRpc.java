package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;

/** The rpcs of definitions, runs, workers and hooks, to be called with any bytes. */
enum RunRpc {
  REGISTER(DefinitionServiceGrpc.getRegisterDefinitionMethod()),
  GET_DEFINITION(DefinitionServiceGrpc.getGetDefinitionMethod()),
  LIST_DEFINITIONS(DefinitionServiceGrpc.getListDefinitionsMethod()),
  START(RunServiceGrpc.getStartRunMethod()),
  START_MANY(RunServiceGrpc.getStartRunsMethod()),
  SIGNAL(RunServiceGrpc.getSignalRunMethod()),
  GET(RunServiceGrpc.getGetRunMethod()),
  LIST(RunServiceGrpc.getListRunsMethod()),
  EVENTS(RunServiceGrpc.getListRunEventsMethod()),
  STEPS(RunServiceGrpc.getListStepsMethod()),
  EXPLAIN(RunServiceGrpc.getExplainRunMethod()),
  AWAIT(RunServiceGrpc.getAwaitRunMethod()),
  WATCH(RunServiceGrpc.getWatchRunMethod()),
  CANCEL(RunServiceGrpc.getCancelRunMethod()),
  PAUSE(RunServiceGrpc.getPauseRunMethod()),
  RESUME(RunServiceGrpc.getResumeRunMethod()),
  RETRY(RunServiceGrpc.getRetryRunMethod()),
  SETTLE(RunServiceGrpc.getSettleStepMethod()),
  POLL(WorkerServiceGrpc.getPollTasksMethod()),
  COMPLETE(WorkerServiceGrpc.getCompleteTaskMethod()),
  FAIL(WorkerServiceGrpc.getFailTaskMethod()),
  SUSPEND(WorkerServiceGrpc.getSuspendTaskMethod()),
  RELEASE(WorkerServiceGrpc.getReleaseTaskMethod()),
  HEARTBEAT(WorkerServiceGrpc.getHeartbeatTasksMethod()),
  RECORD(WorkerServiceGrpc.getRecordStepMethod()),
  RECORDS(WorkerServiceGrpc.getListRecordsMethod()),
  CREATE_HOOK(HookServiceGrpc.getCreateHookMethod()),
  SIGNAL_HOOK(HookServiceGrpc.getSignalHookMethod()),
  GET_HOOK(HookServiceGrpc.getGetHookMethod()),
  DISPOSE_HOOK(HookServiceGrpc.getDisposeHookMethod());

  /** What the examples start. */
  static final String DEFINITION = "order";

  @SuppressWarnings("ImmutableEnumChecker") // it is, and does not say so
  private final RawCall raw;

  RunRpc(MethodDescriptor<?, ? extends Message> method) {
    this.raw = new RawCall(method);
  }

  RawCall raw() {
    return raw;
  }

  /** A request of this rpc that is fine, about a run and a task that are there. */
  Message.Builder example(RunCaller caller, String runId, Claim claim) {
    var workspace = caller.workspace();
    return switch (this) {
      case REGISTER ->
          RegisterDefinitionRequest.newBuilder()
              .setWorkspace(workspace)
              .setName("another")
              .setVersion("1")
              .addSteps(RunCaller.task("a"));
      case GET_DEFINITION ->
          GetDefinitionRequest.newBuilder().setWorkspace(workspace).setName(DEFINITION);
      case LIST_DEFINITIONS -> ListDefinitionsRequest.newBuilder().setWorkspace(workspace);
      case START -> start(caller);
      case START_MANY ->
          StartRunsRequest.newBuilder().setWorkspace(workspace).addRequests(start(caller));
      case SIGNAL ->
          SignalRunRequest.newBuilder()
              .setWorkspace(workspace)
              .setRunId(runId)
              .setSignal(
                  NewSignal.newBuilder()
                      .setSignalId("signal")
                      .setType("type")
                      .setPayload(Caller.json("1")));
      case GET -> GetRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case LIST -> ListRunsRequest.newBuilder().setWorkspace(workspace);
      case EVENTS -> ListRunEventsRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case STEPS -> ListStepsRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case EXPLAIN -> ExplainRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case AWAIT ->
          AwaitRunRequest.newBuilder()
              .setWorkspace(workspace)
              .setRunId(runId)
              .setWait(Caller.millis(1));
      case WATCH -> WatchRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case CANCEL -> CancelRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case PAUSE -> PauseRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case RESUME -> ResumeRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId);
      case RETRY ->
          RetryRunRequest.newBuilder()
              .setWorkspace(workspace)
              .setRunId(runId)
              .setRequestId("request");
      case SETTLE ->
          SettleStepRequest.newBuilder()
              .setWorkspace(workspace)
              .setRunId(runId)
              .setStepName("a")
              .setFail(Caller.failure("SETTLED"))
              .setReason("bank ticket 81")
              .setRequestId("settlement");
      case POLL -> caller.polling("worker").setWait(Caller.millis(1));
      case COMPLETE ->
          caller
              .completion(claim)
              .setOutput(Caller.json("1"))
              .setStatePatch(Caller.json("{\"a\": 1}"));
      case FAIL -> caller.failure(claim, FailureKind.FAILURE_KIND_FINAL);
      case SUSPEND ->
          SuspendTaskRequest.newBuilder()
              .setWorkspace(workspace)
              .setClaim(claim)
              .setDuration(Caller.seconds(60));
      case RELEASE ->
          ReleaseTaskRequest.newBuilder()
              .setWorkspace(workspace)
              .setClaim(claim)
              .setDelay(Caller.seconds(1));
      case HEARTBEAT ->
          HeartbeatTasksRequest.newBuilder()
              .setWorkspace(workspace)
              .addClaims(claim)
              .setLease(Caller.seconds(60));
      case RECORD ->
          RecordStepRequest.newBuilder()
              .setWorkspace(workspace)
              .setClaim(claim)
              .setName("named")
              .setOutput(Caller.json("1"));
      case RECORDS -> ListRecordsRequest.newBuilder().setWorkspace(workspace).setClaim(claim);
      case CREATE_HOOK ->
          CreateHookRequest.newBuilder()
              .setWorkspace(workspace)
              .setRunId(runId)
              .setClaim(claim)
              .setToken("token");
      case SIGNAL_HOOK ->
          SignalHookRequest.newBuilder()
              .setWorkspace(workspace)
              .setToken("token")
              .setSignal(
                  NewSignal.newBuilder()
                      .setSignalId("signal")
                      .setType("type")
                      .setPayload(Caller.json("1")));
      case GET_HOOK -> GetHookRequest.newBuilder().setWorkspace(workspace).setToken("token");
      case DISPOSE_HOOK ->
          DisposeHookRequest.newBuilder().setWorkspace(workspace).setToken("token");
    };
  }

  private static StartRunRequest.Builder start(RunCaller caller) {
    return caller.start(DEFINITION).setIdempotencyKey("key").setInput(Caller.json("{}"));
  }
}
