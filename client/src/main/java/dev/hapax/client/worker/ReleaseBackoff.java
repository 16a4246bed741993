package dev.hapax.client.worker;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The release delays of steps without a handler. They double each time, as each release costs the
 * run two events. Thread-safe.
 */
final class ReleaseBackoff {

  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int KEPT = 10_000;

  // guarded by this; the oldest first
  private final Map<String, Duration> last = new LinkedHashMap<>();

  /**
   * The delay of the next release.
   *
   * @param stepId the id of the run's step
   */
  synchronized Duration next(String stepId) {
    Duration before = last.remove(stepId);
    Duration delay = before == null ? FIRST : before.multipliedBy(2);
    if (delay.compareTo(LONGEST) > 0) {
      delay = LONGEST;
    }
    last.put(stepId, delay);
    if (last.size() > KEPT) {
      last.remove(last.keySet().iterator().next());
    }
    return delay;
  }
}
