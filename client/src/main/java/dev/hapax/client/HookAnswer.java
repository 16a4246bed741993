package dev.hapax.client;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.CreateHookResponse.Conflict;
import dev.hapax.v1.Hook;
import dev.hapax.v1.Payload;
import java.util.Optional;

/**
 * The answer to a run that asked for a token.
 *
 * @param conflict who owns the token instead; empty = it is the run's, now or since it asked before
 * @param fingerprint stands for the token, see {@link AwaitedSignal#ofHook}; empty if there is a
 *     conflict
 */
public record HookAnswer(Optional<HookOwner> conflict, String fingerprint) {

  static HookAnswer of(CreateHookResponse response) {
    return response.hasConflict()
        ? new HookAnswer(Optional.of(HookOwner.of(response.getConflict())), "")
        : new HookAnswer(Optional.empty(), response.getHook().getFingerprint());
  }

  /** As a workflow records it. */
  Payload encode() {
    CreateHookResponse.Builder response = CreateHookResponse.newBuilder();
    conflict.ifPresentOrElse(
        owner ->
            response.setConflict(
                Conflict.newBuilder()
                    .setRunId(owner.runId())
                    .setStatus(owner.status())
                    .setEnded(owner.ended())),
        () -> response.setHook(Hook.newBuilder().setFingerprint(fingerprint)));
    return Payload.newBuilder().setBinary(response.build().toByteString()).build();
  }

  static HookAnswer decode(Payload recorded) {
    try {
      return of(CreateHookResponse.parseFrom(recorded.getBinary()));
    } catch (InvalidProtocolBufferException unreadable) {
      throw new FinalFailure("NOT_A_HOOK", "the step is recorded as something else", unreadable);
    }
  }
}
