package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import java.util.Optional;

/** What can happen to an entity. Its history is enough to rebuild it. */
public sealed interface EntityChange {
  /**
   * It began to follow its lifecycle.
   *
   * @param reason in the words of the caller; may be empty
   */
  record Created(String status, String reason) implements EntityChange {}

  /** Somebody claimed it. */
  record ActionBegan(ActionGrant grant) implements EntityChange {}

  /**
   * An action succeeded.
   *
   * @param fence the highest this entity has given, from now on
   * @param output what the caller keeps of it; the after-effect gets it too
   */
  record ActionCompleted(
      String step, String requester, String status, Fence fence, Optional<Payload> output)
      implements EntityChange {}

  /** A claimed action came to nothing; the entity went back. */
  record ActionFailed(ActionFailureKind kind, String message) implements EntityChange {}

  /**
   * The lease of a claim was over; the entity went back.
   *
   * @param reason in the words of an operator who had a janitor look; else empty
   */
  record ClaimReverted(Fence fence, String reason) implements EntityChange {}

  /** The lease of a claim, or of a recovery, was over; the module looks what became of it. */
  record RecoveryBegan(RecoveryGrant grant) implements EntityChange {}

  record Recovered(RecoveryVerdict verdict) implements EntityChange {}

  /**
   * An operator took it back.
   *
   * @param requestId the operator's nonce, so that the same call again changes nothing
   * @param verdict what the operator knows of the action
   */
  record ClaimReleased(String requestId, String reason, Fence fence, RecoveryVerdict verdict)
      implements EntityChange {}

  /**
   * An operator removed it, with all that happened before.
   *
   * @param requestId the operator's nonce, so that the same call again changes nothing
   * @param fence higher than each it has given
   */
  record Deleted(String requestId, String reason, Fence fence) implements EntityChange {}
}
