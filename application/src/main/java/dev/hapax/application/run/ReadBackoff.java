package dev.hapax.application.run;

import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * How long a task that could not be read is not offered: twice as long after each failed read of
 * its run, since each costs the run two events.
 */
final class ReadBackoff {
  static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final int KEPT = 10_000;

  // guarded by this; the oldest first
  private final SequencedMap<RunId, Duration> last = new LinkedHashMap<>();

  /** The delay after a failed read. */
  synchronized Duration failed(RunId run) {
    var before = last.remove(run);
    var delay = before == null ? FIRST : before.multipliedBy(2);
    if (delay.compareTo(LONGEST) > 0) {
      delay = LONGEST;
    }
    last.put(run, delay);
    if (last.size() > KEPT) {
      last.pollFirstEntry();
    }
    return delay;
  }

  /** The next failure of this run is its first again. */
  synchronized void succeeded(RunId run) {
    last.remove(run);
  }
}
