package dev.hapax.grpc.run;

import dev.hapax.application.run.StepCompletion;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.FailTaskOutcome;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RecordStepOutcome;
import dev.hapax.domain.run.ReleaseTaskOutcome;
import dev.hapax.domain.run.SuspendTaskOutcome;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.SuspendTaskRequest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The calls of workers about their tasks: the same as unary rpcs and on a Work stream. */
record WorkerCalls(Tasks tasks, InstantSource clock, RandomValues random) {

  /**
   * The outcome of RecordStep.
   *
   * @param command the step that it is about
   */
  record StepRecording(RecordStep command, RecordStepOutcome outcome) {}

  /** Completes a task. Cancelling the future releases the next task. */
  CompletableFuture<StepCompletion> complete(CompleteTaskRequest request) {
    var command = TaskDecoding.completion(request, random);
    PresentedClaim<CompleteTask> completion =
        TaskClaims.read("claim", request.getWorkspace(), request.getClaim()).map(command);
    return completion.call(
        called -> permitted(called.claim(), () -> tasks.complete(called)),
        workspace -> new StepCompletion(TaskClaims.lost(workspace), Optional.empty()));
  }

  private <O> CompletableFuture<O> permitted(
      TaskClaim claim, Supplier<CompletableFuture<O>> useCase) {
    return new PermittedTasks(tasks).call(claim, useCase);
  }

  /** Releases the next task of a completion that did not reach its worker. */
  void releaseGrant(StepCompletion completion) {
    completion.next().ifPresent(tasks::returnUndelivered);
  }

  CompletableFuture<FailTaskOutcome> fail(FailTaskRequest request) {
    var command = TaskDecoding.failure(request, random);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .map(command)
        .call(called -> permitted(called.claim(), () -> tasks.fail(called)), TaskClaims::lost);
  }

  CompletableFuture<SuspendTaskOutcome> suspend(SuspendTaskRequest request) {
    var command = TaskDecoding.suspension(request, clock.instant());
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .map(command)
        .call(called -> permitted(called.claim(), () -> tasks.suspend(called)), TaskClaims::lost);
  }

  CompletableFuture<ReleaseTaskOutcome> release(ReleaseTaskRequest request) {
    var command = TaskDecoding.release(request);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .map(command)
        .call(called -> permitted(called.claim(), () -> tasks.release(called)), TaskClaims::lost);
  }

  CompletableFuture<StepRecording> record(RecordStepRequest request) {
    var command = TaskDecoding.record(request);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .map(command)
        .call(
            called -> permitted(called.claim(), () -> record(called)),
            workspace -> {
              var lost = TaskClaims.lost(workspace);
              return new StepRecording(command.apply(lost.claim()), lost);
            });
  }

  private CompletableFuture<StepRecording> record(RecordStep command) {
    return tasks.record(command).thenApply(outcome -> new StepRecording(command, outcome));
  }

  /** Renews the leases of several tasks; the outcomes are in the order of the claims. */
  CompletableFuture<List<HeartbeatOutcome>> heartbeat(HeartbeatTasksRequest request) {
    var lease = TaskDecoding.lease(request);
    var outcomes =
        claims(request).stream()
            .map(
                presented ->
                    presented
                        .map(claim -> new HeartbeatTask(claim, lease))
                        .call(
                            called -> permitted(called.claim(), () -> tasks.heartbeat(called)),
                            TaskClaims::lost))
            .toList();
    return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
        .thenApply(_ -> outcomes.stream().map(CompletableFuture::join).toList());
  }

  private static List<PresentedClaim<TaskClaim>> claims(HeartbeatTasksRequest request) {
    var count = request.getClaimsCount();
    if (count == 0 || count > WorkerGrpc.MAX_CLAIMS) {
      throw new InvalidFieldException(
          "claims",
          String.format(
              Locale.ROOT, "has %d claims; 1 to %d are allowed", count, WorkerGrpc.MAX_CLAIMS));
    }
    var claims = new ArrayList<PresentedClaim<TaskClaim>>();
    for (var i = 0; i < count; i++) {
      claims.add(
          TaskClaims.read(
              String.format(Locale.ROOT, "claims[%d]", i),
              request.getWorkspace(),
              request.getClaims(i)));
    }
    return claims;
  }
}
