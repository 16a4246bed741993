package dev.hapax.domain.lifecycle;

import java.util.Optional;
import java.util.Set;

/**
 * A step as it applies to one requester. A claim stores it, so that an action ends by the rules
 * under which it began, even if the lifecycle changes.
 *
 * @param from the status in which it begins
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

  /** Whether it can lead to one of these statuses. */
  boolean touches(Set<String> statuses) {
    return statuses.contains(to)
        || claim
            .filter(c -> statuses.contains(c.into()) || statuses.contains(c.revertTo()))
            .isPresent();
  }
}
