package dev.hapax.application.run;

import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * The exponential backoff of tasks that could not be read, because each failed delivery adds two
 * events to the run.
 */
final class ReadBackoff {
  static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final int KEPT = 10_000;

  // guarded by this; the oldest first
  private final SequencedMap<RunId, Duration> last = new LinkedHashMap<>();

  /** Returns the delay after a failed read. */
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

  /** Resets the backoff of this run. */
  synchronized void succeeded(RunId run) {
    last.remove(run);
  }
}
