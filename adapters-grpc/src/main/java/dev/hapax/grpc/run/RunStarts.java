package dev.hapax.grpc.run;

import dev.hapax.application.hook.AwaitedStart;
import dev.hapax.application.hook.RunStartRequest;
import dev.hapax.application.hook.RunStartResult;
import dev.hapax.application.hook.RunStarter;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.TraceParent;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.GatedFeature;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.grpc.trace.Tracing;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.StartRunRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Starts runs as requests ask for, in spans of their callers. */
record RunStarts(
    RunStarter starter, RunStartDecoding decoding, GatedFeature turns, Tracing tracing) {
  private static final String SPAN = "hapax.v1.RunService/StartRun";

  /** Starts a run, and waits for its end if the request asks for it. */
  CompletableFuture<AwaitedStart> start(StartRunRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var wait = WaitField.read(request);
    return start(workspace, request, read -> starter.start(read, wait));
  }

  /** Starts a run of a batch, whose answer waits for no end. */
  CompletableFuture<RunStartResult> startOfBatch(Workspace workspace, StartRunRequest request) {
    if (request.hasWait()) {
      throw new InvalidFieldException("wait", "must be unset: a batch does not wait");
    }
    return start(workspace, request, starter::start);
  }

  private <O> CompletableFuture<O> start(
      Workspace workspace,
      StartRunRequest request,
      Function<RunStartRequest, CompletableFuture<O>> start) {
    return tracing.trace(
        SPAN,
        sent(request),
        trace -> {
          var read = decoding.read(workspace, request, trace);
          return turns.call(needsTurns(request), () -> start.apply(read));
        });
  }

  /**
   * Servers that do not know turns cannot read a run that waits, would retry the run that loses its
   * key, and would leave the deadline of a run as it is when it starts.
   */
  private static boolean needsTurns(StartRunRequest request) {
    return request.getOnKeyMismatch() == OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED
        || request.hasTimeout()
        || request.hasStartTimeout()
        || request.getHooksList().stream()
            .anyMatch(hook -> hook.getOnConflict() == OnConflict.ON_CONFLICT_QUEUE);
  }

  private static Optional<TraceParent> sent(StartRunRequest request) {
    return request.getTraceparent().isEmpty()
        ? Optional.empty()
        : Optional.of(FieldReader.read("traceparent", request.getTraceparent(), TraceParent::new));
  }
}
