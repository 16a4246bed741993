package dev.hapax.client;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.hapax.v1.CreateHookResponse.Conflict;
import dev.hapax.v1.Payload;
import java.util.Optional;

/** What a workflow was told when it asked for a token, as it is recorded. */
final class HookAnswer {

  private HookAnswer() {}

  /** An empty one stands for a token of its own. */
  static Payload encode(Optional<HookOwner> conflict) {
    return Payload.newBuilder()
        .setBinary(
            conflict
                .map(
                    owner ->
                        Conflict.newBuilder()
                            .setRunId(owner.runId())
                            .setStatus(owner.status())
                            .setEnded(owner.ended())
                            .build())
                .orElse(Conflict.getDefaultInstance())
                .toByteString())
        .build();
  }

  static Optional<HookOwner> decode(Payload recorded) {
    try {
      Conflict conflict = Conflict.parseFrom(recorded.getBinary());
      return conflict.getRunId().isEmpty() ? Optional.empty() : Optional.of(HookOwner.of(conflict));
    } catch (InvalidProtocolBufferException unreadable) {
      throw new FinalFailure("NOT_A_HOOK", "the step is recorded as something else", unreadable);
    }
  }
}
