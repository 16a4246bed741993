package dev.hapax.domain.lifecycle;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * Statuses that a change is about to remove. For a short time no entity can enter them, so that a
 * search for remaining entities is final. It expires by itself if the caller fails.
 *
 * @param nonce of the change
 */
public record Retirement(Set<String> statuses, long nonce, Instant until) {
  /** Long enough for the search, and short enough for other callers to wait. */
  public static final Duration TIME = Duration.ofSeconds(10);

  public Retirement {
    statuses = Collections.unmodifiableSet(new TreeSet<>(statuses));
  }

  /** Whether this change has retired these statuses. */
  boolean isFor(Set<String> wanted, long change) {
    return nonce == change && statuses.containsAll(wanted);
  }

  boolean isActive(Instant now) {
    return now.isBefore(until);
  }
}
