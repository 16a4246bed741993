package dev.hapax.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The delays of releases. They double each time, as each release costs the run two events.
 * Thread-safe.
 */
final class ReleaseDelays {

  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int KEPT = 10_000;

  // guarded by this; the oldest first
  private final Map<String, Duration> last = new LinkedHashMap<>();

  /**
   * The delay of the next release.
   *
   * @param id of the step or run
   */
  synchronized Duration next(String id) {
    Duration before = last.remove(id);
    Duration delay = before == null ? FIRST : before.multipliedBy(2);
    if (delay.compareTo(LONGEST) > 0) {
      delay = LONGEST;
    }
    last.put(id, delay);
    if (last.size() > KEPT) {
      last.remove(last.keySet().iterator().next());
    }
    return delay;
  }
}
