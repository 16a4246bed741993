package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.lifecycle.ClaimStates;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import java.time.Instant;

/**
 * The exclusive right of a caller to act on an entity.
 *
 * @param nonce random; together with the fence the proof of ownership
 * @param holder the name that the caller claims, for display
 * @param transition the transition, as defined at the time of the grant
 * @param module whose janitor reclaims the entity
 * @param principal of the caller, which the server verified
 */
public record ActionGrant(
    long nonce,
    Fence fence,
    AttemptId attempt,
    String holder,
    Instant since,
    Transition transition,
    String module,
    PrincipalName principal) {
  public ClaimStates claim() {
    return transition.claim().orElseThrow();
  }
}
