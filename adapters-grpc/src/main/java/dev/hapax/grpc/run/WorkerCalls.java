package dev.hapax.grpc.run;

import dev.hapax.application.run.StepCompletion;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.FailTaskOutcome;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.RecordParts;
import dev.hapax.domain.run.RecordPartsOutcome;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RecordStepOutcome;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.ReleaseTaskOutcome;
import dev.hapax.domain.run.SuspendTask;
import dev.hapax.domain.run.SuspendTaskOutcome;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.GatedParts;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.SuspendTaskRequest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The calls of workers about their tasks: the same as unary rpcs and on a Work stream. */
record WorkerCalls(Tasks tasks, GatedParts parts, InstantSource clock, RandomValues random) {

  /** The outcome of RecordStep. */
  sealed interface StepRecording {}

  /**
   * The outcome for one part.
   *
   * @param command the part that it is about
   */
  record OnePart(RecordStep command, RecordStepOutcome outcome) implements StepRecording {}

  /** The outcome for a list of parts. */
  record SeveralParts(RecordPartsOutcome outcome) implements StepRecording {}

  /** Completes a task. Cancelling the future releases the next task. */
  CompletableFuture<StepCompletion> complete(CompleteTaskRequest request) {
    var command = TaskDecoding.completion(request, random);
    PresentedClaim<CompleteTask> completion =
        TaskClaims.read("claim", request.getWorkspace(), request.getClaim()).map(command);
    return completion.call(
        permitted(CompleteTask::claim, gated(request.getPartsList(), tasks::complete)),
        workspace -> new StepCompletion(TaskClaims.lost(workspace), Optional.empty()));
  }

  /** Calls a use case only for tasks of queues that the caller may work on. */
  private <C, O> Function<C, CompletableFuture<O>> permitted(
      Function<C, TaskClaim> claim, Function<C, CompletableFuture<O>> useCase) {
    var permitted = new PermittedTasks(tasks);
    return command -> permitted.call(claim.apply(command), () -> useCase.apply(command));
  }

  /** Releases the next task of a completion that did not reach its worker. */
  void releaseGrant(StepCompletion completion) {
    completion.next().ifPresent(tasks::returnUndelivered);
  }

  CompletableFuture<FailTaskOutcome> fail(FailTaskRequest request) {
    var command = TaskDecoding.failure(request, random);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .map(command)
        .call(
            permitted(FailTask::claim, gated(request.getPartsList(), tasks::fail)),
            TaskClaims::lost);
  }

  CompletableFuture<SuspendTaskOutcome> suspend(SuspendTaskRequest request) {
    var command = TaskDecoding.suspension(request, clock.instant(), random);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .map(command)
        .call(
            permitted(SuspendTask::claim, gated(request.getPartsList(), tasks::suspend)),
            TaskClaims::lost);
  }

  CompletableFuture<ReleaseTaskOutcome> release(ReleaseTaskRequest request) {
    var command = TaskDecoding.release(request);
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .map(command)
        .call(permitted(ReleaseTask::claim, tasks::release), TaskClaims::lost);
  }

  /** Waits for servers that know parts if a report needs them. */
  private <C, O> Function<C, CompletableFuture<O>> gated(
      List<PartRecord> reports, Function<C, CompletableFuture<O>> useCase) {
    var needParts = PartDecoding.needParts(reports);
    return command -> parts.call(needParts, () -> useCase.apply(command));
  }

  CompletableFuture<StepRecording> record(RecordStepRequest request) {
    var presented = TaskClaims.read("claim", request.getWorkspace(), request.getClaim());
    if (request.getPartsCount() > 0) {
      return presented
          .map(TaskDecoding.parts(request, random))
          .call(
              permitted(
                  RecordParts::claim,
                  gated(
                      request.getPartsList(),
                      (RecordParts command) -> tasks.record(command).thenApply(SeveralParts::new))),
              workspace -> new SeveralParts(TaskClaims.lost(workspace)));
    }
    var command = TaskDecoding.record(request);
    return presented
        .map(command)
        .call(
            permitted(RecordStep::claim, this::record),
            workspace -> {
              var lost = TaskClaims.lost(workspace);
              return new OnePart(command.apply(lost.claim()), lost);
            });
  }

  private CompletableFuture<StepRecording> record(RecordStep command) {
    return tasks.record(command).thenApply(outcome -> new OnePart(command, outcome));
  }

  RecordStepResponse response(StepRecording recording) {
    return TaskOutcomes.recorded(recording, parts.longestHold());
  }

  CompletableFuture<Tasks.Records> records(ListRecordsRequest request) {
    var after = PageTokens.number(request.getPageToken());
    return TaskClaims.read("claim", request.getWorkspace(), request.getClaim())
        .call(
            permitted(Function.identity(), claim -> tasks.records(claim, after)),
            workspace -> new Tasks.Records.Lost(TaskClaims.lost(workspace)));
  }

  /**
   * Renews the leases of several tasks; the outcomes are in the order of the claims.
   *
   * @param cells finds the calls of the cell that has a workspace
   */
  static CompletableFuture<List<HeartbeatOutcome>> heartbeat(
      HeartbeatTasksRequest request, Function<Workspace, WorkerCalls> cells) {
    var lease = TaskDecoding.lease(request);
    var details = TaskDecoding.details(request);
    var claims = claims(request);
    var outcomes =
        IntStream.range(0, claims.size())
            .mapToObj(
                i ->
                    cells
                        .apply(claims.get(i).workspace())
                        .heartbeat(
                            claims
                                .get(i)
                                .map(claim -> new HeartbeatTask(claim, lease, details.apply(i)))))
            .toList();
    return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
        .thenApply(_ -> outcomes.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<HeartbeatOutcome> heartbeat(PresentedClaim<HeartbeatTask> renewal) {
    return renewal.call(permitted(HeartbeatTask::claim, tasks::heartbeat), TaskClaims::lost);
  }

  private static List<PresentedClaim<TaskClaim>> claims(HeartbeatTasksRequest request) {
    var claims = new ArrayList<PresentedClaim<TaskClaim>>();
    for (var i = 0; i < request.getClaimsCount(); i++) {
      claims.add(
          TaskClaims.read(
              String.format(Locale.ROOT, "claims[%d]", i),
              request.getWorkspace(),
              request.getClaims(i)));
    }
    return claims;
  }
}
