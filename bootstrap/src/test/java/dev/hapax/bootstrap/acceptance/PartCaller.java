package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import java.util.List;

/** Records and settles parts of code as any language does. */
record PartCaller(RunCaller runs) {
  static final String STEP = "main";

  /** A definition with one code step, whose parts are attempted twice. */
  void define(String name) {
    runs.define(name, code(Caller.seconds(60)));
  }

  static StepDefinition code(Duration lease) {
    var retry =
        RetryPolicy.newBuilder()
            .setMaxAttempts(2)
            .setInitial(Caller.millis(1))
            .setMax(Caller.millis(1));
    return StepDefinition.newBuilder()
        .setName(STEP)
        .setCode(
            CodeStep.newBuilder()
                .setQueue(RunCaller.QUEUE)
                .setLease(lease)
                .setRetry(retry)
                .setPartRetry(retry))
        .build();
  }

  /** The task of a new run. */
  Task begun(String definition) {
    var id = runs.started(definition);
    var task = runs.poll("worker");
    if (!task.getRun().getId().equals(id)) {
      throw new AssertionError("another run came first: " + task.getRun());
    }
    return task;
  }

  static PartRecord output(String name, String json) {
    return PartRecord.newBuilder().setName(name).setOutput(Caller.json(json)).build();
  }

  static PartRecord begin(String name) {
    return PartRecord.newBuilder().setName(name).setBegin(Empty.getDefaultInstance()).build();
  }

  static PartRecord failure(String name, int attempt, FailureKind kind) {
    return PartRecord.newBuilder()
        .setName(name)
        .setFailure(
            PartFailure.newBuilder()
                .setAttempt(attempt)
                .setKind(kind)
                .setFailure(Caller.failure("BUSY").toBuilder().setStack("at Bank.pay")))
        .build();
  }

  static PartRecord failure(String name, int attempt) {
    return failure(name, attempt, FailureKind.FAILURE_KIND_RETRYABLE);
  }

  RecordStepRequest.Builder request(Claim claim, PartRecord... parts) {
    return RecordStepRequest.newBuilder()
        .setWorkspace(runs.workspace())
        .setClaim(claim)
        .addAllParts(List.of(parts));
  }

  RecordStepResponse send(Claim claim, PartRecord... parts) {
    return runs.worker().recordStep(request(claim, parts).build());
  }

  /** The result of the only part. */
  PartResult report(Claim claim, PartRecord part) {
    return send(claim, part).getParts().getResults(0);
  }

  ListRecordsResponse records(Claim claim, String token) {
    return runs.worker()
        .listRecords(
            ListRecordsRequest.newBuilder()
                .setWorkspace(runs.workspace())
                .setClaim(claim)
                .setPageToken(token)
                .build());
  }

  /** Ends the execution, since it is unknown whether the part took effect. */
  void doubt(Claim claim, String part) {
    var _ =
        runs.worker()
            .failTask(
                FailTaskRequest.newBuilder()
                    .setWorkspace(runs.workspace())
                    .setClaim(claim)
                    .setKind(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT)
                    .setFailure(Caller.failure("?").toBuilder().setPart(part))
                    .build());
  }

  SettleStepRequest.Builder settlement(String runId, String part) {
    return SettleStepRequest.newBuilder()
        .setWorkspace(runs.workspace())
        .setRunId(runId)
        .setStepName(STEP)
        .setPart(part)
        .setReason("bank ticket 81");
  }
}
