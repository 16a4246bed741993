package dev.hapax.domain.lifecycle;

import java.util.Optional;
import java.util.Set;

/**
 * A step as one requester takes it. A claim keeps it, so that what has begun ends as it began,
 * whatever becomes of the lifecycle.
 *
 * @param from the status it begins in
 * @param to the status after success
 */
public record Transition(
    String step,
    String requester,
    String from,
    Optional<ClaimStates> claim,
    String to,
    Optional<String> action,
    Optional<Effect> effect) {

  /** Whether an entity that is on its way can come to be in one of these, or is. */
  boolean touches(Set<String> statuses) {
    return statuses.contains(to)
        || claim
            .filter(c -> statuses.contains(c.into()) || statuses.contains(c.revertTo()))
            .isPresent();
  }
}
