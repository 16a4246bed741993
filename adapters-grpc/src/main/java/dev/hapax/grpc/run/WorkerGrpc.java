package dev.hapax.grpc.run;

import dev.hapax.application.run.Tasks;
import dev.hapax.grpc.call.Call;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
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
import java.util.function.Function;

/** WorkerService: decodes, calls, encodes. */
public final class WorkerGrpc implements WorkerServiceGrpc.AsyncService, BindableService {
  /** The claims of one HeartbeatTasks. */
  public static final int MAX_CLAIMS = 500;

  private final Tasks tasks;
  private final WorkerCalls calls;

  public WorkerGrpc(Tasks tasks, InstantSource clock) {
    this.tasks = tasks;
    this.calls = new WorkerCalls(tasks, clock);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return WorkerServiceGrpc.bindService(this);
  }

  @Override
  public void pollTasks(PollTasksRequest request, StreamObserver<PollTasksResponse> caller) {
    var polls = new TaskPolls(tasks);
    Call.hand(
        caller,
        () -> tasks.poll(TaskPolls.request(request), TaskPolls.wait(request)),
        polls::answer,
        polls::giveBack);
  }

  @Override
  public void completeTask(
      CompleteTaskRequest request, StreamObserver<CompleteTaskResponse> caller) {
    Call.hand(caller, () -> calls.complete(request), TaskOutcomes::completed, calls::giveBack);
  }

  @Override
  public void failTask(FailTaskRequest request, StreamObserver<FailTaskResponse> caller) {
    Call.answer(caller, () -> calls.fail(request), Function.identity());
  }

  @Override
  public void suspendTask(SuspendTaskRequest request, StreamObserver<SuspendTaskResponse> caller) {
    Call.answer(caller, () -> calls.suspend(request), Function.identity());
  }

  @Override
  public void releaseTask(ReleaseTaskRequest request, StreamObserver<ReleaseTaskResponse> caller) {
    Call.answer(caller, () -> calls.release(request), Function.identity());
  }

  @Override
  public void heartbeatTasks(
      HeartbeatTasksRequest request, StreamObserver<HeartbeatTasksResponse> caller) {
    Call.answer(caller, () -> calls.heartbeat(request), Function.identity());
  }

  @Override
  public void recordStep(RecordStepRequest request, StreamObserver<RecordStepResponse> caller) {
    Call.answer(caller, () -> calls.record(request), Function.identity());
  }

  @Override
  public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> worker) {
    return new WorkStream(tasks, calls, (ServerCallStreamObserver<WorkResponse>) worker).start();
  }
}
