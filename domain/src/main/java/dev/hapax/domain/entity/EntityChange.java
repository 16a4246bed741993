package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import java.util.Optional;

/** A kind of event in an entity's history. The history is enough to rebuild the entity. */
public sealed interface EntityChange {
  /**
   * The entity was created.
   *
   * @param reason given by the caller; may be empty
   */
  record Created(String status, String reason) implements EntityChange {}

  /** A caller claimed the entity. */
  record ActionBegan(ActionGrant grant) implements EntityChange {}

  /**
   * An action succeeded.
   *
   * @param fence of the entity from now on
   * @param output of the action, also the input of the after-effect
   */
  record ActionCompleted(
      String step, String requester, String status, Fence fence, Optional<Payload> output)
      implements EntityChange {}

  /** A claimed action failed; the entity reverted. */
  record ActionFailed(ActionFailureKind kind, String message) implements EntityChange {}

  /**
   * The lease of a claim expired; the entity reverted.
   *
   * @param reason given by the operator who started the sweep; otherwise empty
   */
  record ClaimReverted(Fence fence, String reason) implements EntityChange {}

  /**
   * The lease of a claim or recovery expired; the module finds out whether the action took effect.
   */
  record RecoveryBegan(RecoveryGrant grant) implements EntityChange {}

  /**
   * The module completed a recovery.
   *
   * @param reason given by the module; may be empty
   */
  record Recovered(RecoveryVerdict verdict, String reason) implements EntityChange {}

  /**
   * An operator released the claim.
   *
   * @param requestId the operator's nonce, so that a repeated call changes nothing
   * @param verdict whether the action took effect
   */
  record ClaimReleased(String requestId, String reason, Fence fence, RecoveryVerdict verdict)
      implements EntityChange {}

  /**
   * An operator deleted the entity with its history.
   *
   * @param requestId the operator's nonce, so that a repeated call changes nothing
   * @param fence higher than each that it has granted
   */
  record Deleted(String requestId, String reason, Fence fence) implements EntityChange {}
}
