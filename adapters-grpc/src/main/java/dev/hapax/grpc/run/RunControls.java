package dev.hapax.grpc.run;

import dev.hapax.domain.hook.RetryOutcome;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;

/** CancelRun, PauseRun, ResumeRun and RetryRun on the wire. */
final class RunControls {
  private RunControls() {}

  static ControlRun cancel(CancelRunRequest request) {
    return steer(
        Verb.CANCEL,
        request.getWorkspace(),
        request.getRunId(),
        request.getReason(),
        request.getExpectedVersion(),
        request.getActor());
  }

  static ControlRun pause(PauseRunRequest request) {
    return steer(
        Verb.PAUSE,
        request.getWorkspace(),
        request.getRunId(),
        request.getReason(),
        request.getExpectedVersion(),
        request.getActor());
  }

  static ControlRun resume(ResumeRunRequest request) {
    return steer(
        Verb.RESUME,
        request.getWorkspace(),
        request.getRunId(),
        request.getReason(),
        request.getExpectedVersion(),
        request.getActor());
  }

  private static ControlRun steer(
      Verb verb, String workspace, String runId, String reason, long version, String actor) {
    return new ControlRun(
        RunIds.read(workspace, runId),
        verb,
        reason(reason),
        FieldReader.expectedVersion(version),
        by(actor));
  }

  static RetryRun retry(RetryRunRequest request) {
    RunId run = RunIds.read(request.getWorkspace(), request.getRunId());
    return new RetryRun(
        run,
        RandomValues.unless(FieldReader.name("request_id", request.getRequestId())),
        reason(request.getReason()),
        FieldReader.expectedVersion(request.getExpectedVersion()),
        by(request.getActor()));
  }

  private static String reason(String sent) {
    return FieldReader.name("reason", sent);
  }

  private static Actor by(String actor) {
    return Actor.caller(FieldReader.name("actor", actor));
  }

  /** The run as it is now. */
  static dev.hapax.v1.Run retried(RetryOutcome outcome) {
    return switch (outcome) {
      case RetryOutcome.Decided(var steered) -> steered(steered);
      case RetryOutcome.Conflict(_, var owner) -> throw RunErrors.hookConflict(owner.id());
      case RetryOutcome.KnowFirst _, RetryOutcome.Outdated _ ->
          throw new IllegalStateException("decided before");
    };
  }

  /** The run as it is now. */
  static dev.hapax.v1.Run steered(ControlOutcome outcome) {
    return switch (outcome) {
      case ControlOutcome.Applied(var run) -> RunEncoding.run(run);
      case ControlOutcome.NotFound _ -> throw RunErrors.notFound();
      case ControlOutcome.Moved(var run) -> throw RunErrors.moved(run);
      case ControlOutcome.NotAllowed(var run) -> throw RunErrors.notAllowed(run);
    };
  }
}
