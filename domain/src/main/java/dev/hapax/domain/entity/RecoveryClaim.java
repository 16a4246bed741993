package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;

/**
 * The proof with which a module refers to its grant of a recovery.
 *
 * @param version of the entity at the time of the grant
 * @param hasEffect the action has an after-effect
 */
public record RecoveryClaim(
    EntityId entity, long version, long nonce, Fence fence, boolean hasEffect) {
  static RecoveryClaim of(Entity entity, ClaimState.Recovering held) {
    return new RecoveryClaim(
        entity.id(),
        entity.version(),
        held.recovery().nonce(),
        held.recovery().fence(),
        held.action().transition().effect().isPresent());
  }
}
