package dev.hapax.grpc.run;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.run.Runs;
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.Errors;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.ExplainRunResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.PauseRunResponse;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.ResumeRunResponse;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RetryRunResponse;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.StartRunsResponse;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** RunService: decodes, calls, encodes. */
public final class RunGrpc implements RunServiceGrpc.AsyncService, BindableService {
  /** The requests of one StartRuns. */
  public static final int MAX_STARTS = 500;

  private final Runs runs;
  private final Hooks hooks;
  private final RunStarts starts;

  public RunGrpc(Definitions definitions, Runs runs, Hooks hooks, InstantSource clock) {
    this.runs = runs;
    this.hooks = hooks;
    this.starts = new RunStarts(definitions, runs, hooks, clock);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return RunServiceGrpc.bindService(this);
  }

  @Override
  public void startRun(StartRunRequest request, StreamObserver<StartRunResponse> caller) {
    Call.answer(
        caller,
        () ->
            starts.start(FieldReader.workspace(request.getWorkspace()), request, RunEncoding::run),
        Function.identity());
  }

  @Override
  public void startRuns(StartRunsRequest request, StreamObserver<StartRunsResponse> caller) {
    Call.answer(caller, () -> new RunStartBatch(starts).start(request), Function.identity());
  }

  @Override
  public StreamObserver<StartRunStreamRequest> startRunStream(
      StreamObserver<StartRunStreamResponse> client) {
    return RunStartStream.start(starts, (ServerCallStreamObserver<StartRunStreamResponse>) client);
  }

  @Override
  public void signalRun(SignalRunRequest request, StreamObserver<SignalRunResponse> caller) {
    Call.answer(caller, () -> signal(request), Function.identity());
  }

  private CompletableFuture<SignalRunResponse> signal(SignalRunRequest request) {
    var command = RunSignals.command(request);
    return runs.signal(command).thenApply(outcome -> RunSignals.response(command, outcome));
  }

  @Override
  public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> caller) {
    Call.answer(
        caller,
        () -> runs.find(RunIds.read(request.getWorkspace(), request.getRunId())),
        found ->
            GetRunResponse.newBuilder().setRun(RunEncoding.run(RunErrors.required(found))).build());
  }

  @Override
  public void listRuns(ListRunsRequest request, StreamObserver<ListRunsResponse> caller) {
    Call.answer(caller, () -> RunPages.list(runs, request), Function.identity());
  }

  @Override
  public void listRunEvents(
      ListRunEventsRequest request, StreamObserver<ListRunEventsResponse> caller) {
    Call.answer(caller, () -> new HistoryPages(runs).events(request), Function.identity());
  }

  @Override
  public void listSteps(ListStepsRequest request, StreamObserver<ListStepsResponse> caller) {
    Call.answer(caller, () -> new HistoryPages(runs).steps(request), Function.identity());
  }

  @Override
  public void explainRun(ExplainRunRequest request, StreamObserver<ExplainRunResponse> caller) {
    Call.answer(
        caller,
        () ->
            runs.find(RunIds.read(request.getWorkspace(), request.getRunId()))
                .thenCompose(found -> runs.explain(RunErrors.required(found))),
        RunEncoding::explanation);
  }

  @Override
  public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> caller) {
    Call.answer(
        caller,
        () -> new RunAwaits(runs, hooks).await(request),
        found ->
            AwaitRunResponse.newBuilder()
                .setRun(RunEncoding.run(RunErrors.required(found)))
                .build());
  }

  @Override
  public void watchRun(WatchRunRequest request, StreamObserver<WatchRunResponse> caller) {
    try {
      new RunEventStream(
              runs,
              RunIds.read(request.getWorkspace(), request.getRunId()),
              FieldReader.version("after_version", request.getAfterVersion()),
              (ServerCallStreamObserver<WatchRunResponse>) caller)
          .start();
    } catch (RuntimeException e) {
      caller.onError(Errors.of(e));
    }
  }

  @Override
  public void cancelRun(CancelRunRequest request, StreamObserver<CancelRunResponse> caller) {
    Call.answer(
        caller,
        () -> runs.control(RunControls.cancel(request)),
        outcome -> CancelRunResponse.newBuilder().setRun(RunControls.steered(outcome)).build());
  }

  @Override
  public void pauseRun(PauseRunRequest request, StreamObserver<PauseRunResponse> caller) {
    Call.answer(
        caller,
        () -> runs.control(RunControls.pause(request)),
        outcome -> PauseRunResponse.newBuilder().setRun(RunControls.steered(outcome)).build());
  }

  @Override
  public void resumeRun(ResumeRunRequest request, StreamObserver<ResumeRunResponse> caller) {
    Call.answer(
        caller,
        () -> runs.control(RunControls.resume(request)),
        outcome -> ResumeRunResponse.newBuilder().setRun(RunControls.steered(outcome)).build());
  }

  @Override
  public void retryRun(RetryRunRequest request, StreamObserver<RetryRunResponse> caller) {
    Call.answer(
        caller,
        () -> hooks.retry(RunControls.retry(request)),
        outcome -> RetryRunResponse.newBuilder().setRun(RunControls.retried(outcome)).build());
  }
}
