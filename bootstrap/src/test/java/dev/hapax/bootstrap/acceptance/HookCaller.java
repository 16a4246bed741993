package dev.hapax.bootstrap.acceptance;

import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.Hook;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.Run;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.util.concurrent.TimeUnit;

/** Asks for tokens as any language does. */
record HookCaller(RunCaller runs) implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;

  /** A client with a workspace of its own, and a run to start there. */
  static HookCaller to(String target) {
    var caller = new HookCaller(RunCaller.to(target));
    caller.runs.define("order", RunCaller.task("charge"));
    caller.runs.define("approval", RunCaller.signal("approved", "approval"));
    return caller;
  }

  /** Another connection of the same tenant. */
  HookCaller via(String target) {
    return new HookCaller(runs.via(target));
  }

  HookServiceGrpc.HookServiceBlockingStub hooks() {
    return HookServiceGrpc.newBlockingStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  HookServiceGrpc.HookServiceFutureStub futures() {
    return HookServiceGrpc.newFutureStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  StartRunRequest.Builder start(String token, OnConflict onConflict) {
    return start("order", token, onConflict);
  }

  StartRunRequest.Builder start(String definition, String token, OnConflict onConflict) {
    return runs.start(definition)
        .addHooks(StartRunRequest.Hook.newBuilder().setToken(token).setOnConflict(onConflict));
  }

  static NewSignal signal(String id) {
    return NewSignal.newBuilder()
        .setSignalId(id)
        .setType("approval")
        .setPayload(Caller.json('"' + id + '"'))
        .build();
  }

  StartRunResponse send(StartRunRequest.Builder request) {
    return runs.send(request);
  }

  /** The run that owns this token now, which was free. */
  Run owner(String token) {
    return send(start(token, OnConflict.ON_CONFLICT_REJECT)).getRun();
  }

  CreateHookRequest.Builder creation(String runId, String token) {
    return CreateHookRequest.newBuilder()
        .setWorkspace(runs.workspace())
        .setRunId(runId)
        .setToken(token);
  }

  SignalHookRequest.Builder toOwner(String token, String signalId) {
    return SignalHookRequest.newBuilder()
        .setWorkspace(runs.workspace())
        .setToken(token)
        .setSignal(signal(signalId));
  }

  Hook get(String token) {
    return hooks()
        .getHook(GetHookRequest.newBuilder().setWorkspace(runs.workspace()).setToken(token).build())
        .getHook();
  }

  Hook dispose(String token) {
    return hooks()
        .disposeHook(
            DisposeHookRequest.newBuilder().setWorkspace(runs.workspace()).setToken(token).build())
        .getHook();
  }

  Run cancel(String runId) {
    return runs.runs()
        .cancelRun(
            CancelRunRequest.newBuilder().setWorkspace(runs.workspace()).setRunId(runId).build())
        .getRun();
  }

  @Override
  public void close() {
    runs.close();
  }
}
