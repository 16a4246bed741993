package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;

/**
 * What a module shows when it says what became of an action.
 *
 * @param version of the entity when it was granted
 * @param hasEffect something follows if the action was done
 */
public record RecoveryClaim(
    EntityId entity, long version, long nonce, Fence fence, boolean hasEffect) {
  static RecoveryClaim of(Entity entity, ClaimState.Recovering held) {
    return new RecoveryClaim(
        entity.id(),
        entity.version(),
        held.recovery().nonce(),
        held.recovery().fence(),
        held.action().move().effect().isPresent());
  }
}
