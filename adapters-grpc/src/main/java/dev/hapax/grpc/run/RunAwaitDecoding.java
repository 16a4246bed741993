package dev.hapax.grpc.run;

import dev.hapax.application.hook.RunWaits.Target;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.v1.AwaitRunRequest;
import java.time.Duration;

/** A decoded AwaitRun request. */
record RunAwaitDecoding(Target target, long after, Duration timeout) {

  static RunAwaitDecoding read(AwaitRunRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var after = request.getAfterVersion();
    var timeout = WaitField.read(request);
    return new RunAwaitDecoding(target(workspace, request), after, timeout);
  }

  private static Target target(Workspace workspace, AwaitRunRequest request) {
    return switch (request.getTargetCase()) {
      case RUN_ID -> new Target.ById(RunIds.read(workspace, request.getRunId()));
      case IDEMPOTENCY_KEY -> new Target.ByKey(RunKeyId.of(workspace, request.getIdempotencyKey()));
      case TOKEN -> new Target.ByToken(HookId.of(workspace, request.getToken()));
      case TARGET_NOT_SET ->
          throw new InvalidFieldException("target", "must be run_id, token or idempotency_key");
    };
  }
}
