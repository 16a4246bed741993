package dev.hapax.domain.entity;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fence;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
   * Of an entity that stays as it is. The same attempt at the same step gets the same, as long as
   * the entity does not move; its fence is the one that the entity will have passed when somebody
   * completes.
   */
  static ActionClaim optimistic(Entity entity, Transition move, String module, AttemptId attempt) {
    var fence = new Fence(entity.fence().value() + 1);
    return of(entity, move, module, nonce(attempt, move), fence, false);
  }

  /** Two steps of one attempt are two grants, though nothing tells them apart by the version. */
  private static long nonce(AttemptId attempt, Transition move) {
    var text = Stream.of(attempt.hash().toString(), move.step(), move.requester());
    return Digest.sha256(text.collect(Collectors.joining("\0"))).getLeastSignificantBits();
  }

  private static ActionClaim of(
      Entity entity, Transition move, String module, long nonce, Fence fence, boolean exclusive) {
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
