package dev.hapax.grpc.run;

import dev.hapax.application.run.StepCompletion;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.FailTaskOutcome;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.PartsRefused;
import dev.hapax.domain.run.RecordPartsOutcome;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RecordStepOutcome;
import dev.hapax.domain.run.ReleaseTaskOutcome;
import dev.hapax.domain.run.SuspendTaskOutcome;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.PartResults;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskResponse;
import java.time.Duration;
import java.util.List;

/** Encodes the responses to workers. */
final class TaskOutcomes {
  private TaskOutcomes() {}

  static FailTaskResponse failed(FailTaskOutcome outcome) {
    var response = FailTaskResponse.newBuilder();
    return switch (outcome) {
      case FailTaskOutcome.Failed(var run, var retryAt, var already) -> {
        var failed =
            FailTaskResponse.Failed.newBuilder()
                .setRunStatus(RunEncoding.status(run.status()))
                .setAlready(already);
        retryAt.map(Durations::encode).ifPresent(failed::setRetryAt);
        yield response.setFailed(failed).build();
      }
      case PartsRefused refused -> throw PartDecoding.error(refused);
      case TaskLost lost -> response.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }

  static SuspendTaskResponse suspended(SuspendTaskOutcome outcome) {
    var response = SuspendTaskResponse.newBuilder();
    return switch (outcome) {
      case SuspendTaskOutcome.Suspended(_, var already) ->
          response
              .setSuspended(SuspendTaskResponse.Suspended.newBuilder().setAlready(already))
              .build();
      case SuspendTaskOutcome.StateTooLarge _ -> throw RunErrors.stateTooLarge();
      case PartsRefused refused -> throw PartDecoding.error(refused);
      case TaskLost lost -> response.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }

  static ReleaseTaskResponse released(ReleaseTaskOutcome outcome) {
    var response = ReleaseTaskResponse.newBuilder();
    return switch (outcome) {
      case ReleaseTaskOutcome.Released(_, var already) ->
          response
              .setReleased(ReleaseTaskResponse.Released.newBuilder().setAlready(already))
              .build();
      case TaskLost lost -> response.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }

  static CompleteTaskResponse completed(StepCompletion completion) {
    var response = CompleteTaskResponse.newBuilder();
    return switch (completion.outcome()) {
      case CompleteTaskOutcome.Completed(var run, var already, _) -> {
        var completed =
            CompleteTaskResponse.Completed.newBuilder()
                .setRunStatus(RunEncoding.status(run.status()))
                .setAlready(already);
        completion.next().map(TaskEncoding::task).ifPresent(completed::setNext);
        yield response.setCompleted(completed).build();
      }
      case TaskLost lost -> response.setClaimLost(TaskEncoding.lost(lost)).build();
      case CompleteTaskOutcome.NoSuchSignal(var signalId) ->
          throw TaskDecoding.noSuchSignal(signalId);
      case CompleteTaskOutcome.StateTooLarge _ -> throw RunErrors.stateTooLarge();
      case PartsRefused refused -> throw PartDecoding.error(refused);
    };
  }

  static HeartbeatTasksResponse renewed(List<HeartbeatOutcome> outcomes) {
    return HeartbeatTasksResponse.newBuilder()
        .addAllResults(outcomes.stream().map(TaskOutcomes::renewed).toList())
        .build();
  }

  private static HeartbeatTasksResponse.Result renewed(HeartbeatOutcome outcome) {
    var result = HeartbeatTasksResponse.Result.newBuilder();
    return switch (outcome) {
      case HeartbeatOutcome.Renewed(_, var remaining, var attempt) -> {
        var renewed = LeaseRenewed.newBuilder().setLeaseRemaining(Durations.encode(remaining));
        attempt.map(Durations::encode).ifPresent(renewed::setAttemptRemaining);
        yield result.setRenewed(renewed).build();
      }
      case TaskLost lost -> result.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }

  static RecordStepResponse recorded(WorkerCalls.StepRecording recording, Duration longestHold) {
    return switch (recording) {
      case WorkerCalls.OnePart(var command, var outcome) -> recorded(command, outcome);
      case WorkerCalls.SeveralParts(var outcome) -> recorded(outcome, longestHold);
    };
  }

  private static RecordStepResponse recorded(RecordStep command, RecordStepOutcome outcome) {
    var response = RecordStepResponse.newBuilder();
    return switch (outcome) {
      case RecordStepOutcome.Recorded(var output, var already) ->
          response.setRecorded(PartEncoding.recorded(output, already)).build();
      case RecordStepOutcome.NotRecorded _ ->
          response
              .setNotRecorded(
                  RecordStepResponse.NotRecorded.newBuilder().setStepId(command.step().text()))
              .build();
      case RecordStepOutcome.InDoubt(var failure) ->
          throw RunErrors.partInDoubt(command.name(), failure);
      case PartsRefused.NoSuchSignal(_, var signalId) -> throw TaskDecoding.noSuchSignal(signalId);
      case PartsRefused refused -> throw PartDecoding.error(refused);
      case TaskLost lost -> response.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }

  private static RecordStepResponse recorded(RecordPartsOutcome outcome, Duration longestHold) {
    var response = RecordStepResponse.newBuilder();
    return switch (outcome) {
      case RecordPartsOutcome.Stored(var results) ->
          response
              .setParts(
                  PartResults.newBuilder()
                      .addAllResults(
                          results.stream()
                              .map(result -> PartEncoding.result(result, longestHold))
                              .toList()))
              .build();
      case PartsRefused refused -> throw PartDecoding.error(refused);
      case TaskLost lost -> response.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }

  static ListRecordsResponse records(Tasks.Records records) {
    var response = ListRecordsResponse.newBuilder();
    return switch (records) {
      case Tasks.Records.Read(var run, var page) -> {
        var isAll =
            PageTokens.fill(
                page.items(),
                recorded -> PartEncoding.recorded(run, recorded),
                (recorded, message) ->
                    response
                        .addRecorded(message)
                        .setNextPageToken(PageTokens.token(recorded.version())));
        yield isAll && page.next().isEmpty()
            ? response.clearNextPageToken().build()
            : response.build();
      }
      case Tasks.Records.Lost(var lost) -> response.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }
}
