package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Attribution;
import java.time.Instant;
import java.util.Optional;

/**
 * A lifecycle that entities follow.
 *
 * @param version 1 for the first that was applied under this name
 * @param by of this version
 * @param retiring statuses that are being looked at, before a change takes them away
 */
public record AppliedLifecycle(
    Lifecycle lifecycle,
    long version,
    Instant appliedAt,
    Attribution by,
    Optional<Retirement> retiring) {

  /** Whether nothing that begins now may lead to this status. */
  public boolean isRetiring(String status, Instant now) {
    return current(now).filter(r -> r.statuses().contains(status)).isPresent();
  }

  /** Whether this move may not begin now. */
  public boolean isRetiring(Transition move, Instant now) {
    return current(now).filter(r -> move.touches(r.statuses())).isPresent();
  }

  Optional<Retirement> current(Instant now) {
    return retiring.filter(r -> r.isOn(now));
  }

  AppliedLifecycle with(Optional<Retirement> next) {
    return new AppliedLifecycle(lifecycle, version, appliedAt, by, next);
  }
}
