package dev.hapax.grpc.run;

import dev.hapax.application.run.StepCompletion;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.FailTaskOutcome;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.RecordStepOutcome;
import dev.hapax.domain.run.ReleaseTaskOutcome;
import dev.hapax.domain.run.SuspendTaskOutcome;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskResponse;
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
      case HeartbeatOutcome.Renewed(_, var remaining) ->
          result
              .setRenewed(LeaseRenewed.newBuilder().setLeaseRemaining(Durations.encode(remaining)))
              .build();
      case TaskLost lost -> result.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }

  static RecordStepResponse recorded(WorkerCalls.StepRecording recording) {
    var response = RecordStepResponse.newBuilder();
    return switch (recording.outcome()) {
      case RecordStepOutcome.Recorded(var output, var already) ->
          response
              .setRecorded(
                  RecordStepResponse.Recorded.newBuilder()
                      .setAlready(already)
                      .setOutput(Payloads.encode(output)))
              .build();
      case RecordStepOutcome.NotRecorded _ ->
          response
              .setNotRecorded(
                  RecordStepResponse.NotRecorded.newBuilder()
                      .setStepId(recording.command().step().text()))
              .build();
      case RecordStepOutcome.NoSuchSignal(var signalId) ->
          throw TaskDecoding.noSuchSignal(signalId);
      case RecordStepOutcome.TooManyEvents _ -> throw RunErrors.eventLimit();
      case TaskLost lost -> response.setClaimLost(TaskEncoding.lost(lost)).build();
    };
  }
}
