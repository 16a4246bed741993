package dev.hapax.client.worker;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.HapaxException;
import dev.hapax.client.hook.HookAnswer;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.HookRpcs;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Payload;

/** Requests tokens for a task's run, under its claim. Blocks until Hapax has responded. */
final class TaskHooks {

  private final TaskCalls calls;
  private final ClaimLease lease;
  private final String runId;

  TaskHooks(TaskCalls calls, ClaimLease lease, String runId) {
    this.calls = calls;
    this.lease = lease;
    this.runId = runId;
  }

  /** Requests a token for the run. */
  HookAnswer create(HookRequest hook) {
    TaskCalls.throwIfRevoked(lease);
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
      response = UnaryCalls.await(calls.send(HookRpcs.CREATE_HOOK, request, lease)).response();
    } catch (HapaxException.Unavailable unreachable) {
      // the interrupt may be due to the loss of the task
      TaskCalls.throwIfRevoked(lease);
      throw unreachable;
    } catch (HapaxException.Refused refused) {
      throw TaskCalls.finalFailure(refused, "the hook was not created");
    }
    if (response.hasClaimLost()) {
      lease.revoke(response.getClaimLost().getReason());
    }
    TaskCalls.throwIfRevoked(lease);
    return HookAnswer.fromProto(response);
  }

  /** Encodes an answer for the records of a workflow. */
  static Payload encode(HookAnswer answer) {
    return Payload.newBuilder().setBinary(answer.toProto().toByteString()).build();
  }

  /** Decodes a recorded answer. */
  static HookAnswer decode(Payload recorded) {
    try {
      return HookAnswer.fromProto(CreateHookResponse.parseFrom(recorded.getBinary()));
    } catch (InvalidProtocolBufferException unreadable) {
      throw new FinalFailure(
          "NOT_A_HOOK", "the recorded step is not a hook; keep step names stable", unreadable);
    }
  }

  /** Frees the token, if the run owns it. */
  void dispose(String token) {
    DisposeHookRequest request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(calls.workspace())
            .setRunId(runId)
            .setToken(token)
            .build();
    try {
      UnaryCalls.await(calls.send(HookRpcs.DISPOSE_HOOK, request, lease));
    } catch (HapaxException.Refused refused) {
      boolean isOver =
          refused.reason() == ErrorReason.ERROR_REASON_HOOK_NOT_FOUND
              || refused.reason() == ErrorReason.ERROR_REASON_HOOK_CONFLICT;
      if (!isOver) {
        throw TaskCalls.finalFailure(refused, "the hook was not disposed");
      }
    }
  }
}
