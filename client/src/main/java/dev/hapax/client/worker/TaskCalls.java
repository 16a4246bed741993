package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;
import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.HolderCalls;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.WorkerRpcs;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the end of tasks, retrying until it is recorded or time runs out. */
final class TaskCalls {

  private static final Logger log = LoggerFactory.getLogger(TaskCalls.class);

  private final HolderCalls calls;
  private final String workspace;

  TaskCalls(HolderCalls calls, String workspace) {
    this.calls = calls;
    this.workspace = workspace;
  }

  String workspace() {
    return workspace;
  }

  CompletableFuture<RetryingCalls.Answer<CompleteTaskResponse>> complete(
      ClaimLease lease, Completion completion, boolean wantNext) {
    return send(
        WorkerRpcs.COMPLETE_TASK,
        completion.toProto().toBuilder()
            .setWorkspace(workspace)
            .setClaim(lease.claim())
            .setWantNext(wantNext)
            .build(),
        lease);
  }

  CompletableFuture<SuspendTaskResponse> suspend(ClaimLease lease, Suspension suspension) {
    return send(
            WorkerRpcs.SUSPEND_TASK,
            suspension.toProto().toBuilder()
                .setWorkspace(workspace)
                .setClaim(lease.claim())
                .build(),
            lease)
        .thenApply(RetryingCalls.Answer::response);
  }

  CompletableFuture<ReleaseTaskResponse> release(ClaimLease lease, Release release) {
    return send(
            WorkerRpcs.RELEASE_TASK,
            release.toProto().toBuilder().setWorkspace(workspace).setClaim(lease.claim()).build(),
            lease)
        .thenApply(RetryingCalls.Answer::response);
  }

  CompletableFuture<FailTaskResponse> fail(ClaimLease lease, TaskVerdict verdict) {
    return sendFailure(lease, verdict)
        .exceptionallyCompose(
            error -> {
              if (!isRejected(error)) {
                return CompletableFuture.failedFuture(error);
              }
              log.error(
                  "Hapax rejected the failure of task {}, recording it without its text",
                  id(lease),
                  error);
              return sendFailure(lease, verdict.withoutText());
            })
        .thenApply(RetryingCalls.Answer::response);
  }

  private CompletableFuture<RetryingCalls.Answer<FailTaskResponse>> sendFailure(
      ClaimLease lease, TaskVerdict verdict) {
    FailTaskRequest.Builder request =
        FailTaskRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(lease.claim())
            .setKind(kind(verdict.kind()))
            .setFailure(verdict.failure())
            .addAllParts(verdict.parts());
    Duration retryAfter = verdict.retryAfter();
    if (retryAfter != null) {
      request.setRetryAfter(ProtoTimes.toProto(retryAfter));
    }
    return send(WorkerRpcs.FAIL_TASK, request.build(), lease);
  }

  /** The kind in messages. */
  static FailureKind kind(dev.hapax.client.FailureKind kind) {
    return switch (kind) {
      case RETRYABLE -> FailureKind.FAILURE_KIND_RETRYABLE;
      case FINAL -> FailureKind.FAILURE_KIND_FINAL;
      case UNKNOWN_EFFECT -> FailureKind.FAILURE_KIND_UNKNOWN_EFFECT;
    };
  }

  /** Sends a call as {@link HolderCalls} does. */
  <Q, R> CompletableFuture<RetryingCalls.Answer<R>> send(
      MethodDescriptor<Q, R> method, Q request, ClaimLease lease) {
    return calls.send(method, request, lease);
  }

  /** Whether Hapax rejected the request permanently; the task is still held. */
  static boolean isRejected(Throwable error) {
    return UnaryCalls.statusOf(error).getStatus().getCode() == Status.Code.INVALID_ARGUMENT;
  }

  /** Throws if Hapax has reported the loss of the claim. */
  static void throwIfRevoked(ClaimLease lease) {
    ClaimLostReason reason = lease.lostReason();
    if (lease.isRevoked() && reason != null) {
      throw new TaskLostException(reason);
    }
  }

  /** A final failure for a rejected call, which every retry of the handler would get again. */
  static FinalFailure finalFailure(HapaxException.Refused refused, String summary) {
    return new FinalFailure(
        refused.reason().name().replace("ERROR_REASON_", ""),
        summary + ": " + refused.status().getStatus(),
        refused);
  }

  private static String id(ClaimLease lease) {
    return lease.claim().getId();
  }
}
