package dev.hapax.domain.monitoring;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Background work that a server repeats until it stops. It tells when the work last succeeded, and
 * whether it has stopped to run.
 */
public final class Loop {
  private static final int MISSED_ROUNDS = 3;
  private static final Duration MIN_PATIENCE = Duration.ofSeconds(60);

  private final String name;
  private final Duration patience;
  private final LongSupplier nanoTime;
  private volatile long endedNanos;
  private volatile long succeededNanos;

  /**
   * Creates a loop that counts as successful now.
   *
   * @param name lower case with hyphens; the label of its metric
   * @param period the usual time between two rounds
   * @param nanoTime a clock, as {@link System#nanoTime}
   */
  public Loop(String name, Duration period, LongSupplier nanoTime) {
    this.name = name;
    var missed = period.multipliedBy(MISSED_ROUNDS);
    this.patience = missed.compareTo(MIN_PATIENCE) < 0 ? MIN_PATIENCE : missed;
    this.nanoTime = nanoTime;
    ended(true);
  }

  public String name() {
    return name;
  }

  /** The work as one round of this loop. */
  public Runnable round(Runnable work) {
    return () -> {
      var isSuccess = false;
      try {
        work.run();
        isSuccess = true;
      } finally {
        ended(isSuccess);
      }
    };
  }

  /** A round has ended. */
  public void ended(boolean isSuccess) {
    var now = nanoTime.getAsLong();
    endedNanos = now;
    if (isSuccess) {
      succeededNanos = now;
    }
  }

  /** The time since the last success, or since the server was started. */
  public Duration sinceSuccess() {
    return since(succeededNanos);
  }

  /**
   * Tells if no round has ended for three periods and for 60 s, as when the loop has died or hangs.
   * A loop whose rounds fail is none of that: the same failure would take all servers away.
   */
  public Optional<String> problem() {
    return Optional.of(since(endedNanos))
        .filter(silence -> silence.compareTo(patience) > 0)
        .map(
            silence ->
                String.format(Locale.ROOT, "%s: no round for %d s", name, silence.toSeconds()));
  }

  private Duration since(long nanos) {
    return Duration.ofNanos(nanoTime.getAsLong() - nanos);
  }
}
