package dev.hapax.grpc.run;

import dev.hapax.application.hook.Hooks;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.operation.OperationLimits;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.AwaitRunRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** AwaitRun on the wire. */
record RunAwaits(Runs runs, Hooks hooks) {

  /** Cancelling the future ends the wait. */
  CompletableFuture<Optional<Run>> await(AwaitRunRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var after = FieldReader.version("after_version", request.getAfterVersion());
    var wait =
        Call.withinDeadline(
            Durations.read(
                "wait",
                request.hasWait(),
                request.getWait(),
                OperationLimits.DEFAULT_WAIT,
                OperationLimits::waitTime));
    return switch (request.getTargetCase()) {
      case RUN_ID -> await(RunIds.read(workspace, request.getRunId()), after, wait);
      case IDEMPOTENCY_KEY -> {
        var key = FieldReader.requiredName("idempotency_key", request.getIdempotencyKey());
        yield CancellableFutures.then(
            runs.keyed(RunKeyId.of(workspace, key)),
            run -> await(run.orElseThrow(RunErrors::notFound), after, wait));
      }
      case TOKEN ->
          CancellableFutures.then(
              hooks.find(
                  FieldReader.read("token", request.getToken(), t -> HookId.of(workspace, t))),
              owned -> await(owned.orElseThrow(RunErrors::hookNotFound).owner().id(), after, wait));
      case TARGET_NOT_SET ->
          throw new InvalidFieldException("target", "must be run_id, token or idempotency_key");
    };
  }

  private CompletableFuture<Optional<Run>> await(RunId run, long after, Duration wait) {
    return wait.isZero() ? runs.find(run) : runs.await(run, after, wait);
  }
}
