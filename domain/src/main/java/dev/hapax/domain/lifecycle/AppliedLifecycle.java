package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Attribution;
import java.time.Instant;
import java.util.Optional;

/**
 * A lifecycle version that entities follow.
 *
 * @param version 1 for the first lifecycle of this name
 * @param by the author of this version
 * @param retiring the statuses that a change in progress is about to remove
 */
public record AppliedLifecycle(
    Lifecycle lifecycle,
    long version,
    Instant appliedAt,
    Attribution by,
    Optional<Retirement> retiring) {

  /** Whether a change in progress forbids new entities and actions to reach this status. */
  public boolean isRetiring(String status, Instant now) {
    return current(now).filter(r -> r.statuses().contains(status)).isPresent();
  }

  /** Whether a change in progress forbids this transition to begin. */
  public boolean isRetiring(Transition transition, Instant now) {
    return current(now).filter(r -> transition.touches(r.statuses())).isPresent();
  }

  Optional<Retirement> current(Instant now) {
    return retiring.filter(r -> r.isActive(now));
  }

  AppliedLifecycle with(Optional<Retirement> next) {
    return new AppliedLifecycle(lifecycle, version, appliedAt, by, next);
  }
}
