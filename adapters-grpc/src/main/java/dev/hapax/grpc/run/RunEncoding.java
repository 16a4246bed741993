package dev.hapax.grpc.run;

import dev.hapax.application.hook.RunWaits;
import dev.hapax.application.run.Explanation;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.TraceParent;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.ExplainRunResponse;

/** Encodes runs. */
public final class RunEncoding {
  private RunEncoding() {}

  /** Encodes all fields. */
  static dev.hapax.v1.Run run(Run run) {
    return inTask(run).toBuilder()
        .setInput(Payloads.encode(run.origin().input()))
        .setState(Payloads.encode(run.state()))
        .build();
  }

  /** Encodes a run for its task, which has input and state itself. */
  static dev.hapax.v1.Run inTask(Run run) {
    var message = summary(run).toBuilder();
    run.output().map(Payloads::encode).ifPresent(message::setOutput);
    if (run.phase() instanceof Phase.Failed(_, var failure)) {
      message.setFailure(Payloads.encode(failure));
    }
    return message.build();
  }

  /** Encodes a run without payloads, for lists. */
  static dev.hapax.v1.Run summary(Run run) {
    var origin = run.origin();
    var message =
        dev.hapax.v1.Run.newBuilder()
            .setId(run.id().text())
            .setWorkspace(run.id().workspace().name())
            .setDefinition(run.definition().id().name())
            .setDefinitionVersion(run.definition().id().version())
            .setStatus(status(run.status()))
            .setVersion(run.version())
            .setCurrentStep(run.step().orElseGet(() -> run.definition().steps().getLast()).name())
            .putAllLabels(origin.labels())
            .setCreatedAt(Durations.encode(origin.createdAt()));
    run.tokens().supersedes().map(RunId::text).ifPresent(message::setSupersedes);
    run.tokens().supersededBy().map(RunId::text).ifPresent(message::setSupersededBy);
    origin.parameters().trace().map(TraceParent::text).ifPresent(message::setTraceparent);
    run.startedAt().map(Durations::encode).ifPresent(message::setStartedAt);
    if (origin.notBefore().isAfter(origin.createdAt())) {
      message.setStartAt(Durations.encode(origin.notBefore()));
    }
    run.deadlines().end().map(Durations::encode).ifPresent(message::setDeadline);
    if (run.phase() instanceof Phase.Ended ended) {
      message.setEndedAt(Durations.encode(ended.at()));
    }
    if (run.phase() instanceof Phase.Failed(_, var failure)) {
      message.setFailure(Payloads.encode(failure).toBuilder().clearDetails());
    }
    return message.build();
  }

  public static dev.hapax.v1.RunStatus status(RunStatus status) {
    return switch (status) {
      case PENDING -> dev.hapax.v1.RunStatus.RUN_STATUS_PENDING;
      case RUNNING -> dev.hapax.v1.RunStatus.RUN_STATUS_RUNNING;
      case WAITING -> dev.hapax.v1.RunStatus.RUN_STATUS_WAITING;
      case PAUSED -> dev.hapax.v1.RunStatus.RUN_STATUS_PAUSED;
      case COMPLETED -> dev.hapax.v1.RunStatus.RUN_STATUS_COMPLETED;
      case FAILED -> dev.hapax.v1.RunStatus.RUN_STATUS_FAILED;
      case CANCELLED -> dev.hapax.v1.RunStatus.RUN_STATUS_CANCELLED;
    };
  }

  static AwaitRunResponse awaited(AwaitRunRequest request, RunWaits.Result result) {
    return switch (result) {
      case RunWaits.Result.Found(var run) -> AwaitRunResponse.newBuilder().setRun(run(run)).build();
      case RunWaits.Result.RunNotFound _ ->
          throw request.hasRunId()
              ? RunErrors.notFoundBy(request.getRunId())
              : RunErrors.notFound();
      case RunWaits.Result.TokenNotFound _ -> throw RunErrors.hookNotFound();
    };
  }

  static ExplainRunResponse explanation(Explanation explanation) {
    return ExplainRunResponse.newBuilder()
        .setReason(reason(explanation.reason()))
        .addAllSentences(explanation.sentences())
        .build();
  }

  private static ExplainReason reason(Explanation.Reason reason) {
    return switch (reason) {
      case ENDED -> ExplainReason.EXPLAIN_REASON_ENDED;
      case FAILED -> ExplainReason.EXPLAIN_REASON_FAILED;
      case PAUSED -> ExplainReason.EXPLAIN_REASON_PAUSED;
      case START_AT -> ExplainReason.EXPLAIN_REASON_START_AT;
      case RETRY_AT -> ExplainReason.EXPLAIN_REASON_RETRY_AT;
      case TIMER -> ExplainReason.EXPLAIN_REASON_TIMER;
      case SIGNAL -> ExplainReason.EXPLAIN_REASON_SIGNAL;
      case WORKING -> ExplainReason.EXPLAIN_REASON_WORKING;
      case LEASE_OVER -> ExplainReason.EXPLAIN_REASON_LEASE_OVER;
      case NO_WORKER -> ExplainReason.EXPLAIN_REASON_NO_WORKER;
      case QUEUED -> ExplainReason.EXPLAIN_REASON_QUEUED;
      case LIMIT -> ExplainReason.EXPLAIN_REASON_LIMIT;
      case TURN -> ExplainReason.EXPLAIN_REASON_TURN;
      case UNKNOWN_EFFECT -> ExplainReason.EXPLAIN_REASON_UNKNOWN_EFFECT;
      case CODE_CHANGED -> ExplainReason.EXPLAIN_REASON_CODE_CHANGED;
    };
  }
}
