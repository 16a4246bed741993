package dev.hapax.grpc.run;

import dev.hapax.application.run.Tasks;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.GatedParts;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.SuspendTaskResponse;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** WorkerService: decodes, calls, encodes. */
public final class WorkerGrpc implements WorkerServiceGrpc.AsyncService, BindableService {
  private final Tasks tasks;
  private final WorkerCalls calls;
  private final RandomValues random;
  private final CellRoute cells;

  /**
   * Serves the workspaces of one cell.
   *
   * @param cells finds the cell of each call of a stream, and of each claim of a heartbeat
   */
  public WorkerGrpc(
      Tasks tasks, GatedParts parts, InstantSource clock, RandomValues random, CellRoute cells) {
    this.tasks = tasks;
    this.calls = new WorkerCalls(tasks, parts, clock, random);
    this.random = random;
    this.cells = cells;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return WorkerServiceGrpc.bindService(this);
  }

  @Override
  public void pollTasks(PollTasksRequest request, StreamObserver<PollTasksResponse> caller) {
    var polls = new TaskPolls(tasks);
    Unary.respondWithGrant(
        caller,
        () -> tasks.poll(TaskPolls.request(request), WaitField.readPaced(request)),
        polls::response,
        polls::releaseGrant);
  }

  @Override
  public void completeTask(
      CompleteTaskRequest request, StreamObserver<CompleteTaskResponse> caller) {
    Unary.respondWithGrant(
        caller, () -> calls.complete(request), TaskOutcomes::completed, calls::releaseGrant);
  }

  @Override
  public void failTask(FailTaskRequest request, StreamObserver<FailTaskResponse> caller) {
    Unary.respond(caller, () -> calls.fail(request), TaskOutcomes::failed);
  }

  @Override
  public void suspendTask(SuspendTaskRequest request, StreamObserver<SuspendTaskResponse> caller) {
    Unary.respond(caller, () -> calls.suspend(request), TaskOutcomes::suspended);
  }

  @Override
  public void releaseTask(ReleaseTaskRequest request, StreamObserver<ReleaseTaskResponse> caller) {
    Unary.respond(caller, () -> calls.release(request), TaskOutcomes::released);
  }

  @Override
  public void heartbeatTasks(
      HeartbeatTasksRequest request, StreamObserver<HeartbeatTasksResponse> caller) {
    Unary.respond(caller, () -> heartbeat(request), TaskOutcomes::renewed);
  }

  @Override
  public void recordStep(RecordStepRequest request, StreamObserver<RecordStepResponse> caller) {
    Unary.respond(caller, () -> calls.record(request), calls::response);
  }

  @Override
  public void listRecords(ListRecordsRequest request, StreamObserver<ListRecordsResponse> caller) {
    Unary.respond(caller, () -> calls.records(request), TaskOutcomes::records);
  }

  @Override
  public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> worker) {
    return new WorkStream(
            request -> cells.of(request, this).calls,
            this::heartbeat,
            random,
            (ServerCallStreamObserver<WorkResponse>) worker)
        .start();
  }

  /** Claims without a common workspace may belong to several cells. */
  private CompletableFuture<List<HeartbeatOutcome>> heartbeat(HeartbeatTasksRequest request) {
    return WorkerCalls.heartbeat(request, workspace -> cells.of(workspace, this).calls);
  }
}
