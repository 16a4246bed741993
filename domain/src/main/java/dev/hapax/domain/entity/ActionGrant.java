package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.lifecycle.ClaimStates;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import java.time.Instant;

/**
 * The right to act on an entity, alone.
 *
 * @param nonce drawn for this grant; with the fence it is the proof of ownership
 * @param holder who asked for it, for people
 * @param move as it was when it began
 * @param module whose janitor takes it back
 */
public record ActionGrant(
    long nonce,
    Fence fence,
    AttemptId attempt,
    String holder,
    Instant since,
    Transition move,
    String module) {
  public ClaimStates claim() {
    return move.claim().orElseThrow();
  }
}
