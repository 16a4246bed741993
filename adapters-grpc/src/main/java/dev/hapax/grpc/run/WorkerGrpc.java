package dev.hapax.grpc.run;

import dev.hapax.application.run.StepCompletion;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.LeaseTerms;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.InvalidFieldException;
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
import dev.hapax.v1.TaskClaimLost;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** WorkerService: decodes, calls, encodes. */
public final class WorkerGrpc implements WorkerServiceGrpc.AsyncService, BindableService {
  private static final int MAX_CLAIMS = 500;

  /** To a claim that names nothing here. */
  private static final TaskClaimLost NOTHING = TaskClaimLost.getDefaultInstance();

  private static final StepCompletion NOTHING_COMPLETED =
      new StepCompletion(
          new TaskLost(
              new TaskClaim(new RunId(Workspace.DEFAULT, new UUID(0, 0)), 0, 0, new Fence(0)),
              Optional.empty()),
          Optional.empty());

  private final Tasks tasks;
  private final InstantSource clock;

  public WorkerGrpc(Tasks tasks, InstantSource clock) {
    this.tasks = tasks;
    this.clock = clock;
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
        () ->
            tasks.poll(
                TaskPolls.request(request),
                Call.withinDeadline(
                    Durations.read(
                        "wait",
                        request.hasWait(),
                        request.getWait(),
                        Duration.ZERO,
                        LeaseTerms::patience))),
        polls::answer,
        polls::giveBack);
  }

  @Override
  public void completeTask(
      CompleteTaskRequest request, StreamObserver<CompleteTaskResponse> caller) {
    Call.hand(
        caller,
        () -> {
          var workspace = Fields.workspace(request.getWorkspace());
          var command = TaskDecoding.completion(request);
          return TaskClaims.read("claim", workspace, request.getClaim())
              .map(command)
              .map(tasks::complete)
              .orElseGet(() -> done(NOTHING_COMPLETED));
        },
        TaskOutcomes::completed,
        completion -> completion.next().ifPresent(tasks::giveBack));
  }

  @Override
  public void failTask(FailTaskRequest request, StreamObserver<FailTaskResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var workspace = Fields.workspace(request.getWorkspace());
          var command = TaskDecoding.failure(request);
          return TaskClaims.read("claim", workspace, request.getClaim())
              .map(claim -> tasks.fail(command.apply(claim)).thenApply(TaskOutcomes::failed))
              .orElseGet(() -> done(FailTaskResponse.newBuilder().setClaimLost(NOTHING).build()));
        },
        Function.identity());
  }

  @Override
  public void suspendTask(SuspendTaskRequest request, StreamObserver<SuspendTaskResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var workspace = Fields.workspace(request.getWorkspace());
          var command = TaskDecoding.suspension(request, clock.instant());
          return TaskClaims.read("claim", workspace, request.getClaim())
              .map(claim -> tasks.suspend(command.apply(claim)).thenApply(TaskOutcomes::suspended))
              .orElseGet(
                  () -> done(SuspendTaskResponse.newBuilder().setClaimLost(NOTHING).build()));
        },
        Function.identity());
  }

  @Override
  public void releaseTask(ReleaseTaskRequest request, StreamObserver<ReleaseTaskResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var workspace = Fields.workspace(request.getWorkspace());
          var command = TaskDecoding.release(request);
          return TaskClaims.read("claim", workspace, request.getClaim())
              .map(claim -> tasks.release(command.apply(claim)).thenApply(TaskOutcomes::released))
              .orElseGet(
                  () -> done(ReleaseTaskResponse.newBuilder().setClaimLost(NOTHING).build()));
        },
        Function.identity());
  }

  private static <R> CompletableFuture<R> done(R response) {
    return CompletableFuture.completedFuture(response);
  }

  @Override
  public void heartbeatTasks(
      HeartbeatTasksRequest request, StreamObserver<HeartbeatTasksResponse> caller) {
    Call.answer(caller, () -> heartbeat(request), Function.identity());
  }

  private CompletableFuture<HeartbeatTasksResponse> heartbeat(HeartbeatTasksRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var lease = TaskDecoding.lease(request);
    var results =
        claims(workspace, request).stream()
            .map(claim -> claim.map(c -> heartbeat(c, lease)).orElseGet(() -> done(lost())))
            .toList();
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(
            _ -> {
              var response = HeartbeatTasksResponse.newBuilder();
              results.forEach(result -> response.addResults(result.join()));
              return response.build();
            });
  }

  private static List<Optional<TaskClaim>> claims(
      Workspace workspace, HeartbeatTasksRequest request) {
    var count = request.getClaimsCount();
    if (count == 0 || count > MAX_CLAIMS) {
      throw new InvalidFieldException(
          "claims", "has %d claims; 1 to %d are allowed".formatted(count, MAX_CLAIMS));
    }
    var claims = new ArrayList<Optional<TaskClaim>>();
    for (var i = 0; i < count; i++) {
      claims.add(TaskClaims.read("claims[%d]".formatted(i), workspace, request.getClaims(i)));
    }
    return claims;
  }

  private CompletableFuture<HeartbeatTasksResponse.Result> heartbeat(
      TaskClaim claim, Optional<Duration> lease) {
    return tasks.heartbeat(new HeartbeatTask(claim, lease)).thenApply(TaskOutcomes::renewed);
  }

  private static HeartbeatTasksResponse.Result lost() {
    return HeartbeatTasksResponse.Result.newBuilder().setClaimLost(NOTHING).build();
  }

  @Override
  public void recordStep(RecordStepRequest request, StreamObserver<RecordStepResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var workspace = Fields.workspace(request.getWorkspace());
          var command = TaskDecoding.record(request);
          return TaskClaims.read("claim", workspace, request.getClaim())
              .map(command)
              .map(
                  record ->
                      tasks
                          .record(record)
                          .thenApply(outcome -> TaskOutcomes.recorded(record, outcome)))
              .orElseGet(() -> done(RecordStepResponse.newBuilder().setClaimLost(NOTHING).build()));
        },
        Function.identity());
  }
}
