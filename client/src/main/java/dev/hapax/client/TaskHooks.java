package dev.hapax.client;

import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.HookServiceGrpc;

/** The tokens of one task's run, asked for under its claim. Blocks until it is known. */
final class TaskHooks {

  private final TaskCalls calls;
  private final ClaimLease lease;
  private final String runId;

  TaskHooks(TaskCalls calls, ClaimLease lease, String runId) {
    this.calls = calls;
    this.lease = lease;
    this.runId = runId;
  }

  /** Gives the run the token. */
  HookAnswer create(HookRequest hook) {
    lease.throwIfTaken();
    CreateHookRequest request =
        CreateHookRequest.newBuilder()
            .setWorkspace(calls.workspace())
            .setRunId(runId)
            .setClaim(lease.claim())
            .setToken(hook.token())
            .setName(hook.name())
            .setRetention(ProtoTimes.toProto(hook.retention()))
            .setOnConflict(hook.onConflict())
            .setExpectedOwner(hook.expectedOwner())
            .build();
    CreateHookResponse response;
    try {
      response =
          UnaryCalls.await(calls.send(HookServiceGrpc.getCreateHookMethod(), request, lease))
              .response();
    } catch (HapaxException.Unavailable unreachable) {
      // an interrupt is how the loss of the task is told
      lease.throwIfTaken();
      throw unreachable;
    } catch (HapaxException.Refused refused) {
      throw refused.asFinalFailure("the token cannot be had");
    }
    if (response.hasClaimLost()) {
      lease.take(response.getClaimLost().getReason());
    }
    lease.throwIfTaken();
    return HookAnswer.of(response);
  }

  /** Frees the token, if it is the run's. */
  void dispose(String token) {
    DisposeHookRequest request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(calls.workspace())
            .setRunId(runId)
            .setToken(token)
            .build();
    try {
      UnaryCalls.await(calls.send(HookServiceGrpc.getDisposeHookMethod(), request, lease));
    } catch (HapaxException.Refused refused) {
      boolean isOver =
          refused.reason() == ErrorReason.ERROR_REASON_HOOK_NOT_FOUND
              || refused.reason() == ErrorReason.ERROR_REASON_HOOK_CONFLICT;
      if (!isOver) {
        throw refused.asFinalFailure("the token cannot be freed");
      }
    }
  }
}
