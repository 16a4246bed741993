package dev.hapax.domain.lifecycle;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * Statuses that are to go: for a short time no entity gets into them, so that who looks whether one
 * is there looks at the last of them. It ends by itself, if whoever wanted it is gone.
 *
 * @param nonce of the change that wants it
 */
public record Retirement(Set<String> statuses, long nonce, Instant until) {
  /** Long enough to look, and short enough to wait for. */
  public static final Duration TIME = Duration.ofSeconds(10);

  public Retirement {
    statuses = Collections.unmodifiableSet(new TreeSet<>(statuses));
  }

  /** Whether this change was let look at these. */
  boolean isFor(Set<String> wanted, long change) {
    return nonce == change && statuses.containsAll(wanted);
  }

  boolean isOn(Instant now) {
    return now.isBefore(until);
  }
}
