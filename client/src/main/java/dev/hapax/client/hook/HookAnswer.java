package dev.hapax.client.hook;

import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.CreateHookResponse.Conflict;
import dev.hapax.v1.Hook;
import java.util.Optional;

/**
 * The result of a run's request for a token.
 *
 * @param conflict the current owner of the token; empty = the run owns it
 * @param fingerprint identifies the token, see {@link AwaitedSignal#ofHook}; empty if there is a
 *     conflict
 * @param already the run owned the token before; the request changed nothing
 */
public record HookAnswer(Optional<HookOwner> conflict, String fingerprint, boolean already) {

  /** The answer of Hapax. */
  public static HookAnswer fromProto(CreateHookResponse response) {
    return response.hasConflict()
        ? new HookAnswer(Optional.of(HookOwner.of(response.getConflict())), "", false)
        : new HookAnswer(
            Optional.empty(), response.getHook().getFingerprint(), response.getAlready());
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
        () -> response.setHook(Hook.newBuilder().setFingerprint(fingerprint)).setAlready(already));
    return response.build();
  }
}
