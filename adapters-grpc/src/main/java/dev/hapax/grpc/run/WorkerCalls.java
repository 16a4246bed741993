package dev.hapax.grpc.run;

import dev.hapax.application.run.StepCompletion;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.HeartbeatTasksResponse.Result;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.SuspendTaskResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** What workers do with the tasks they hold: the same as an rpc and on a stream. */
record WorkerCalls(Tasks tasks, InstantSource clock) {
  /** Cancelled, it gives the next task back. */
  CompletableFuture<StepCompletion> complete(CompleteTaskRequest request) {
    var command = TaskDecoding.completion(request);
    var sent = TaskClaims.read("claim", request.getWorkspace(), request.getClaim());
    return sent.found()
        .map(command)
        .map(tasks::complete)
        .orElseGet(() -> done(nothingIn(sent.workspace())));
  }

  private static StepCompletion nothingIn(Workspace workspace) {
    var nothing = new TaskClaim(new RunId(workspace, new UUID(0, 0)), 0, 0, new Fence(0));
    return new StepCompletion(new TaskLost(nothing, Optional.empty()), Optional.empty());
  }

  /** Takes back what a completion brought and its worker did not get. */
  void giveBack(StepCompletion completion) {
    completion.next().ifPresent(tasks::returnUndelivered);
  }

  CompletableFuture<FailTaskResponse> fail(FailTaskRequest request) {
    var command = TaskDecoding.failure(request);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .call(
            claim -> tasks.fail(command.apply(claim)).thenApply(TaskOutcomes::failed),
            lost -> FailTaskResponse.newBuilder().setClaimLost(lost).build());
  }

  CompletableFuture<SuspendTaskResponse> suspend(SuspendTaskRequest request) {
    var command = TaskDecoding.suspension(request, clock.instant());
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .call(
            claim -> tasks.suspend(command.apply(claim)).thenApply(TaskOutcomes::suspended),
            lost -> SuspendTaskResponse.newBuilder().setClaimLost(lost).build());
  }

  CompletableFuture<ReleaseTaskResponse> release(ReleaseTaskRequest request) {
    var command = TaskDecoding.release(request);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .call(
            claim -> tasks.release(command.apply(claim)).thenApply(TaskOutcomes::released),
            lost -> ReleaseTaskResponse.newBuilder().setClaimLost(lost).build());
  }

  CompletableFuture<RecordStepResponse> record(RecordStepRequest request) {
    var command = TaskDecoding.record(request);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .call(
            claim -> record(command.apply(claim)),
            lost -> RecordStepResponse.newBuilder().setClaimLost(lost).build());
  }

  private CompletableFuture<RecordStepResponse> record(RecordStep command) {
    return tasks.record(command).thenApply(outcome -> TaskOutcomes.recorded(command, outcome));
  }

  CompletableFuture<HeartbeatTasksResponse> heartbeat(HeartbeatTasksRequest request) {
    var lease = TaskDecoding.lease(request);
    var results =
        claims(request).stream()
            .map(
                sent ->
                    sent.call(
                        claim -> heartbeat(claim, lease),
                        lost -> Result.newBuilder().setClaimLost(lost).build()))
            .toList();
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(
            _ -> {
              var response = HeartbeatTasksResponse.newBuilder();
              results.forEach(result -> response.addResults(result.join()));
              return response.build();
            });
  }

  private static List<PresentedClaim<TaskClaim>> claims(HeartbeatTasksRequest request) {
    var count = request.getClaimsCount();
    if (count == 0 || count > WorkerGrpc.MAX_CLAIMS) {
      throw new InvalidFieldException(
          "claims", "has %d claims; 1 to %d are allowed".formatted(count, WorkerGrpc.MAX_CLAIMS));
    }
    var claims = new ArrayList<PresentedClaim<TaskClaim>>();
    for (var i = 0; i < count; i++) {
      claims.add(
          TaskClaims.read("claims[%d]".formatted(i), request.getWorkspace(), request.getClaims(i)));
    }
    return claims;
  }

  private CompletableFuture<Result> heartbeat(TaskClaim claim, Optional<Duration> lease) {
    return tasks.heartbeat(new HeartbeatTask(claim, lease)).thenApply(TaskOutcomes::renewed);
  }

  private static <R> CompletableFuture<R> done(R response) {
    return CompletableFuture.completedFuture(response);
  }
}
