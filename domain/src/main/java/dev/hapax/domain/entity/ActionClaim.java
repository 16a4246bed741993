package dev.hapax.domain.entity;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fence;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The proof with which a caller refers to its grant of an action. A claim that is not exclusive is
 * not stored, so the API layer has to sign it.
 *
 * @param module whose janitor reclaims the entity
 * @param version of the entity at the time of the grant
 * @param exclusive the entity is claimed; otherwise the entity's version decides who may complete
 * @param hasEffect success starts an after-effect
 * @param terms digest of the transition that was granted
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
    boolean hasEffect,
    long terms) {

  static ActionClaim exclusive(Entity entity, ActionGrant grant) {
    return of(entity, grant.transition(), grant.module(), grant.nonce(), grant.fence(), true);
  }

  /**
   * A claim on an entity that is not claimed exclusively. The same attempt at the same step gets
   * the same claim until the entity changes; the first completion passes its fence.
   */
  static ActionClaim optimistic(
      Entity entity, Transition transition, String module, AttemptId attempt) {
    var fence = new Fence(entity.fence().value() + 1);
    return of(entity, transition, module, nonce(attempt, transition), fence, false);
  }

  /** The nonce covers the step, because two steps of one attempt are two grants of one version. */
  private static long nonce(AttemptId attempt, Transition transition) {
    var text = Stream.of(attempt.hash().toString(), transition.step(), transition.requester());
    return Digest.sha256(text.collect(Collectors.joining("\0"))).getLeastSignificantBits();
  }

  private static ActionClaim of(
      Entity entity,
      Transition transition,
      String module,
      long nonce,
      Fence fence,
      boolean exclusive) {
    return new ActionClaim(
        entity.id(),
        transition.step(),
        transition.requester(),
        module,
        entity.version(),
        nonce,
        fence,
        exclusive,
        transition.effect().isPresent(),
        transition.digest());
  }
}
