package dev.hapax.grpc.run;

import dev.hapax.application.hook.Hooks;
import dev.hapax.application.hook.RunStarter;
import dev.hapax.application.hook.RunWaits;
import dev.hapax.application.limit.Limits;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.grpc.call.AnswerBudget;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.GatedFeature;
import dev.hapax.grpc.call.GatedParts;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.ReadDeadline;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.trace.Tracing;
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
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SettleStepResponse;
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

/** RunService: decodes, calls, encodes. */
public final class RunGrpc implements RunServiceGrpc.AsyncService, BindableService {
  private final Runs runs;
  private final Hooks hooks;
  private final Limits limits;
  private final GatedParts parts;
  private final RunWaits waits;
  private final RunStarts starts;
  private final RandomValues random;
  private final CellRoute cells;

  /**
   * Serves the workspaces of one cell.
   *
   * @param cells finds the cell of each start of a stream
   */
  public RunGrpc(
      RunStarter starter,
      Runs runs,
      Hooks hooks,
      Limits limits,
      GatedParts parts,
      TurnsGate turns,
      InstantSource clock,
      RandomValues random,
      Tracing tracing,
      CellRoute cells) {
    this.runs = runs;
    this.hooks = hooks;
    this.limits = limits;
    this.parts = parts;
    this.waits = new RunWaits(runs, hooks);
    this.starts =
        new RunStarts(
            starter,
            new RunStartDecoding(clock, random),
            new GatedFeature(turns::open, "turns and restarts of failed runs"),
            tracing);
    this.random = random;
    this.cells = cells;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return RunServiceGrpc.bindService(this);
  }

  @Override
  public void startRun(StartRunRequest request, StreamObserver<StartRunResponse> caller) {
    Unary.respond(
        caller, () -> starts.start(request), start -> RunStartEncoding.response(request, start));
  }

  @Override
  public void startRuns(StartRunsRequest request, StreamObserver<StartRunsResponse> caller) {
    Unary.respond(caller, () -> new RunStartBatch(starts).start(request), RunStartBatch::response);
  }

  @Override
  public StreamObserver<StartRunStreamRequest> startRunStream(
      StreamObserver<StartRunStreamResponse> client) {
    return RunStartStream.start(
        request -> cells.of(request, this).starts,
        (ServerCallStreamObserver<StartRunStreamResponse>) client);
  }

  @Override
  public void signalRun(SignalRunRequest request, StreamObserver<SignalRunResponse> caller) {
    Unary.respond(
        caller, () -> RunSignals.command(request, random), runs::signal, RunSignals::response);
  }

  @Override
  public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> caller) {
    Unary.respond(
        caller,
        () -> RunIds.read(request.getWorkspace(), request.getRunId()),
        runs::find,
        (id, found) ->
            GetRunResponse.newBuilder()
                .setRun(RunEncoding.run(RunErrors.required(id, found)))
                .build());
  }

  @Override
  public void listRuns(ListRunsRequest request, StreamObserver<ListRunsResponse> caller) {
    Unary.respond(
        caller,
        () -> RunPages.read(request),
        list -> runs.list(list.query()),
        RunPages.Request::response);
  }

  @Override
  public void listRunEvents(
      ListRunEventsRequest request, StreamObserver<ListRunEventsResponse> caller) {
    Unary.respond(
        caller, () -> new HistoryPages(runs).events(request), HistoryPages.Events::response);
  }

  @Override
  public void listSteps(ListStepsRequest request, StreamObserver<ListStepsResponse> caller) {
    Unary.respond(
        caller, () -> new HistoryPages(runs).steps(request), HistoryPages.Steps::response);
  }

  @Override
  public void explainRun(ExplainRunRequest request, StreamObserver<ExplainRunResponse> caller) {
    Unary.respond(
        caller,
        () -> RunIds.read(request.getWorkspace(), request.getRunId()),
        id -> runs.find(id).thenCompose(found -> limits.explain(RunErrors.required(id, found))),
        (_, explanation) -> RunEncoding.explanation(explanation));
  }

  @Override
  public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var await = RunAwaitDecoding.read(request);
          return waits.await(await.target(), await.after(), await.timeout());
        },
        result -> RunEncoding.awaited(request, result));
  }

  @Override
  public void watchRun(WatchRunRequest request, StreamObserver<WatchRunResponse> caller) {
    try {
      new RunEventStream(
              runs,
              RunIds.read(request.getWorkspace(), request.getRunId()),
              request.getAfterVersion(),
              (ServerCallStreamObserver<WatchRunResponse>) caller,
              ReadDeadline.LONGEST,
              AnswerBudget.OF_PROCESS)
          .start();
    } catch (RuntimeException e) {
      caller.onError(GrpcErrors.of(e));
    }
  }

  @Override
  public void cancelRun(CancelRunRequest request, StreamObserver<CancelRunResponse> caller) {
    Unary.respond(
        caller,
        () -> RunControls.cancel(request),
        command ->
            runs.control(command).thenApply(outcome -> RunControls.controlled(command, outcome)),
        (_, applied) ->
            CancelRunResponse.newBuilder()
                .setRun(RunEncoding.run(applied.run()))
                .setAlready(applied.already())
                .build());
  }

  @Override
  public void pauseRun(PauseRunRequest request, StreamObserver<PauseRunResponse> caller) {
    Unary.respond(
        caller,
        () -> RunControls.pause(request),
        command ->
            runs.control(command).thenApply(outcome -> RunControls.controlled(command, outcome)),
        (_, applied) ->
            PauseRunResponse.newBuilder()
                .setRun(RunEncoding.run(applied.run()))
                .setAlready(applied.already())
                .build());
  }

  @Override
  public void resumeRun(ResumeRunRequest request, StreamObserver<ResumeRunResponse> caller) {
    Unary.respond(
        caller,
        () -> RunControls.resume(request),
        command ->
            runs.control(command).thenApply(outcome -> RunControls.controlled(command, outcome)),
        (_, applied) ->
            ResumeRunResponse.newBuilder()
                .setRun(RunEncoding.run(applied.run()))
                .setAlready(applied.already())
                .build());
  }

  @Override
  public void retryRun(RetryRunRequest request, StreamObserver<RetryRunResponse> caller) {
    Unary.respond(
        caller,
        () -> RunControls.retry(request, random),
        command ->
            hooks
                .reopen(command)
                .thenApply(outcome -> RunControls.reopened(command.run(), "retried", outcome)),
        (_, applied) ->
            RetryRunResponse.newBuilder()
                .setRun(RunEncoding.run(applied.run()))
                .setAlready(applied.already())
                .build());
  }

  @Override
  public void settleStep(SettleStepRequest request, StreamObserver<SettleStepResponse> caller) {
    Unary.respond(
        caller,
        () -> RunControls.settle(request, random),
        command ->
            parts.call(
                true,
                () ->
                    hooks
                        .reopen(command)
                        .thenApply(
                            outcome -> RunControls.reopened(command.run(), "settled", outcome))),
        (_, applied) ->
            SettleStepResponse.newBuilder()
                .setRun(RunEncoding.run(applied.run()))
                .setAlready(applied.already())
                .build());
  }
}
