package dev.hapax.client.hook;

import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.CreateHookResponse.Conflict;
import dev.hapax.v1.Hook;
import java.util.Optional;

/**
 * The answer to a run that asked for a token.
 *
 * @param conflict who owns the token instead; empty = it is the run's, now or since it asked before
 * @param fingerprint stands for the token, see {@link AwaitedSignal#ofHook}; empty if there is a
 *     conflict
 */
public record HookAnswer(Optional<HookOwner> conflict, String fingerprint) {

  /** The answer of Hapax. */
  public static HookAnswer fromProto(CreateHookResponse response) {
    return response.hasConflict()
        ? new HookAnswer(Optional.of(HookOwner.of(response.getConflict())), "")
        : new HookAnswer(Optional.empty(), response.getHook().getFingerprint());
  }

  /** The answer as Hapax sends it, and as a workflow records it. */
  public CreateHookResponse toProto() {
    CreateHookResponse.Builder response = CreateHookResponse.newBuilder();
    conflict.ifPresentOrElse(
        owner ->
            response.setConflict(
                Conflict.newBuilder()
                    .setRunId(owner.runId())
                    .setStatus(owner.status())
                    .setEnded(owner.ended())),
        () -> response.setHook(Hook.newBuilder().setFingerprint(fingerprint)));
    return response.build();
  }
}
