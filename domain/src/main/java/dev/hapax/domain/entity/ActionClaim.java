package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.lifecycle.Move;

/**
 * What the holder of a grant shows. Of one that is not exclusive nothing is stored, so whoever
 * hands it out has to make sure that it cannot be made up.
 *
 * @param module whose janitor takes the entity back
 * @param version of the entity when it was granted
 * @param exclusive the entity is claimed; otherwise its version decides
 * @param hasEffect something follows from success
 */
public record ActionClaim(
    EntityId entity,
    String step,
    String requester,
    String module,
    long version,
    long nonce,
    Fence fence,
    boolean exclusive,
    boolean hasEffect) {

  static ActionClaim exclusive(Entity entity, ActionGrant grant) {
    return of(entity, grant.move(), grant.module(), grant.nonce(), grant.fence(), true);
  }

  /**
   * Of an entity that stays as it is. The same attempt gets the same, as long as the entity does
   * not move; its fence is the one that the entity will have passed when somebody completes.
   */
  static ActionClaim optimistic(Entity entity, Move move, String module, long nonce) {
    return of(entity, move, module, nonce, new Fence(entity.fence().value() + 1), false);
  }

  private static ActionClaim of(
      Entity entity, Move move, String module, long nonce, Fence fence, boolean exclusive) {
    return new ActionClaim(
        entity.id(),
        move.step(),
        move.requester(),
        module,
        entity.version(),
        nonce,
        fence,
        exclusive,
        move.effect().isPresent());
  }
}
