package dev.hapax.grpc.run;

import dev.hapax.domain.hook.ReopenOutcome;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SettleStep;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.SettleStepRequest;

/** Decodes and encodes CancelRun, PauseRun, ResumeRun, RetryRun and SettleStep. */
final class RunControls {
  private RunControls() {}

  static ControlRun cancel(CancelRunRequest request) {
    return command(
        Verb.CANCEL,
        request.getWorkspace(),
        request.getRunId(),
        request.getReason(),
        request.getExpectedVersion(),
        request.getActor());
  }

  static ControlRun pause(PauseRunRequest request) {
    return command(
        Verb.PAUSE,
        request.getWorkspace(),
        request.getRunId(),
        request.getReason(),
        request.getExpectedVersion(),
        request.getActor());
  }

  static ControlRun resume(ResumeRunRequest request) {
    return command(
        Verb.RESUME,
        request.getWorkspace(),
        request.getRunId(),
        request.getReason(),
        request.getExpectedVersion(),
        request.getActor());
  }

  private static ControlRun command(
      Verb verb, String workspace, String runId, String reason, long version, String actor) {
    return new ControlRun(
        RunIds.read(workspace, runId),
        verb,
        reason(reason),
        FieldReader.expectedVersion(version),
        by(actor));
  }

  static RetryRun retry(RetryRunRequest request, RandomValues random) {
    RunId run = RunIds.read(request.getWorkspace(), request.getRunId());
    return new RetryRun(
        run,
        random.nameOr(request.getRequestId()),
        reason(request.getReason()),
        FieldReader.expectedVersion(request.getExpectedVersion()),
        by(request.getActor()));
  }

  static SettleStep settle(SettleStepRequest request, RandomValues random) {
    var part = FieldReader.optional(request.getPart());
    if (part.isPresent() && request.hasSkip()) {
      throw new InvalidFieldException("skip", "is only allowed without part");
    }
    return new SettleStep(
        RunIds.read(request.getWorkspace(), request.getRunId()),
        request.getStepName(),
        part,
        verdict(request),
        random.nameOr(request.getRequestId()),
        request.getReason(),
        FieldReader.expectedVersion(request.getExpectedVersion()),
        by(request.getActor()));
  }

  private static RunChange.Verdict verdict(SettleStepRequest request) {
    return switch (request.getVerdictCase()) {
      case COMPLETE -> {
        var sent = request.getComplete();
        yield new RunChange.Verdict.Complete(
            Payloads.decode(sent.hasOutput(), sent.getOutput()),
            Payloads.object("complete.state_patch", sent.hasStatePatch(), sent.getStatePatch()));
      }
      case SKIP -> new RunChange.Verdict.Skip();
      case FAIL ->
          new RunChange.Verdict.Fail(Payloads.decode(true, request.getFail()).orElseThrow());
      case REPEAT -> new RunChange.Verdict.Repeat();
      case VERDICT_NOT_SET -> throw new IllegalStateException("rejected before");
    };
  }

  private static String reason(String sent) {
    return sent;
  }

  private static Actor by(String actor) {
    return CallerReader.actor(actor);
  }

  /**
   * Reads the outcome of a retry or settlement.
   *
   * @param control as a participle, such as {@code retried}
   */
  static ControlOutcome.Applied reopened(RunId run, String control, ReopenOutcome outcome) {
    return switch (outcome) {
      case ReopenOutcome.Decided(var decided) -> controlled(run, control, decided);
      case ReopenOutcome.Conflict(_, var owner) -> throw RunErrors.hookConflict(owner.id());
      case ReopenOutcome.Outdated _ -> throw new IllegalStateException("the use case resolves it");
    };
  }

  static ControlOutcome.Applied controlled(ControlRun command, ControlOutcome outcome) {
    var control =
        switch (command.verb()) {
          case CANCEL -> "cancelled";
          case PAUSE -> "paused";
          case RESUME -> "resumed";
        };
    return controlled(command.run(), control, outcome);
  }

  private static ControlOutcome.Applied controlled(
      RunId id, String control, ControlOutcome outcome) {
    return switch (outcome) {
      case ControlOutcome.Applied applied -> applied;
      case ControlOutcome.NotFound _ -> throw RunErrors.notFoundBy(id.text());
      case ControlOutcome.Moved(var run) -> throw RunErrors.versionConflict(run);
      case ControlOutcome.NotAllowed(var run) ->
          throw run.tokens()
              .supersededBy()
              .filter(_ -> run.tokens().keyLost())
              .map(by -> RunErrors.superseded(run, by, control))
              .orElseGet(() -> RunErrors.notAllowed(run.id(), run.status(), control));
      case ControlOutcome.NotSettleable(var run, var why) ->
          throw RunErrors.notSettleable(run, why);
      case ControlOutcome.StateTooLarge _ -> throw RunErrors.stateTooLarge();
    };
  }
}
