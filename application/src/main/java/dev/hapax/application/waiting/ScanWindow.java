package dev.hapax.application.waiting;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far back the next look for what is due has to go. The last one saw what was due by then, and
 * nothing becomes due in the past. Looks from the beginning get slow while somebody holds an old
 * snapshot: the index keeps an entry of all that was ever due.
 */
public final class ScanWindow {
  /** A commit may be seen that much later than the time it was decided at. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  /** Bounds what else may hide something, such as a commit that took longer. */
  private static final Duration WHOLE = Duration.ofSeconds(30);

  private final InstantSource clock;
  // guarded by this
  private @Nullable Instant lastWhole;
  private Instant last = Instant.EPOCH;

  public ScanWindow(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * One look.
   *
   * @param back empty = to the beginning
   */
  public record Look(Instant begunAt, Optional<Duration> back) {}

  public synchronized Look begin() {
    var now = clock.instant();
    // a clock may be set back, too
    var isWhole = lastWhole == null || now.isBefore(last) || !now.isBefore(lastWhole.plus(WHOLE));
    return new Look(
        now, isWhole ? Optional.empty() : Optional.of(Duration.between(last, now).plus(MARGIN)));
  }

  /** The look has seen all there was, and it was taken care of. */
  public synchronized void seen(Look look) {
    last = look.begunAt();
    if (look.back().isEmpty()) {
      lastWhole = last;
    }
  }

  /** Something that was seen has to be found again. */
  public synchronized void lost() {
    lastWhole = null;
  }
}
