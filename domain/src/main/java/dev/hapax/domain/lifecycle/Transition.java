package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Digest;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

  /**
   * A digest of all terms, by which a claim that is not stored finds out that they were changed.
   */
  public long digest() {
    var terms =
        Stream.of(
                Stream.of(step, requester, from, to, action.orElse("")),
                claim.stream().flatMap(is -> Stream.of(is.into(), is.revertTo())),
                effect.stream().flatMap(is -> Stream.of(is.name(), is.definition(), is.version())))
            .map(part -> part.collect(Collectors.joining("\0")));
    return Digest.sha256(terms.collect(Collectors.joining("\0\0"))).getLeastSignificantBits();
  }

  /** Whether it can lead to one of these statuses. */
  boolean touches(Set<String> statuses) {
    return statuses.contains(to)
        || claim
            .filter(c -> statuses.contains(c.into()) || statuses.contains(c.revertTo()))
            .isPresent();
  }
}
