package dev.hapax.grpc.run;

import dev.hapax.application.run.StepCompletion;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.SuspendTaskResponse;
import dev.hapax.v1.TaskClaimLost;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** What workers do with the tasks they hold: the same as an rpc and on a stream. */
record WorkerCalls(Tasks tasks, InstantSource clock) {
  /** To a claim that names nothing here. */
  private static final TaskClaimLost NOTHING = TaskClaimLost.getDefaultInstance();

  private static final StepCompletion NOTHING_COMPLETED =
      new StepCompletion(
          new TaskLost(
              new TaskClaim(new RunId(Workspace.DEFAULT, new UUID(0, 0)), 0, 0, new Fence(0)),
              Optional.empty()),
          Optional.empty());

  /** Cancelled, it gives the next task back. */
  CompletableFuture<StepCompletion> complete(CompleteTaskRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var command = TaskDecoding.completion(request);
    return TaskClaims.read("claim", workspace, request.getClaim())
        .map(command)
        .map(tasks::complete)
        .orElseGet(() -> done(NOTHING_COMPLETED));
  }

  /** Takes back what a completion brought and its worker did not get. */
  void giveBack(StepCompletion completion) {
    completion.next().ifPresent(tasks::giveBack);
  }

  CompletableFuture<FailTaskResponse> fail(FailTaskRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var command = TaskDecoding.failure(request);
    return TaskClaims.read("claim", workspace, request.getClaim())
        .map(claim -> tasks.fail(command.apply(claim)).thenApply(TaskOutcomes::failed))
        .orElseGet(() -> done(FailTaskResponse.newBuilder().setClaimLost(NOTHING).build()));
  }

  CompletableFuture<SuspendTaskResponse> suspend(SuspendTaskRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var command = TaskDecoding.suspension(request, clock.instant());
    return TaskClaims.read("claim", workspace, request.getClaim())
        .map(claim -> tasks.suspend(command.apply(claim)).thenApply(TaskOutcomes::suspended))
        .orElseGet(() -> done(SuspendTaskResponse.newBuilder().setClaimLost(NOTHING).build()));
  }

  CompletableFuture<ReleaseTaskResponse> release(ReleaseTaskRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var command = TaskDecoding.release(request);
    return TaskClaims.read("claim", workspace, request.getClaim())
        .map(claim -> tasks.release(command.apply(claim)).thenApply(TaskOutcomes::released))
        .orElseGet(() -> done(ReleaseTaskResponse.newBuilder().setClaimLost(NOTHING).build()));
  }

  CompletableFuture<RecordStepResponse> record(RecordStepRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var command = TaskDecoding.record(request);
    return TaskClaims.read("claim", workspace, request.getClaim())
        .map(command)
        .map(
            record ->
                tasks.record(record).thenApply(outcome -> TaskOutcomes.recorded(record, outcome)))
        .orElseGet(() -> done(RecordStepResponse.newBuilder().setClaimLost(NOTHING).build()));
  }

  CompletableFuture<HeartbeatTasksResponse> heartbeat(HeartbeatTasksRequest request) {
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
    if (count == 0 || count > WorkerGrpc.MAX_CLAIMS) {
      throw new InvalidFieldException(
          "claims", "has %d claims; 1 to %d are allowed".formatted(count, WorkerGrpc.MAX_CLAIMS));
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

  private static <R> CompletableFuture<R> done(R response) {
    return CompletableFuture.completedFuture(response);
  }
}
