package dev.hapax.application.waiting;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time window of the next scan for due records. Records never become due in the past, so a scan
 * only covers the time since the last one. Full scans get slow while a transaction holds an old
 * snapshot, because the index keeps the entries of all former due records.
 */
public final class ScanWindow {
  /** A commit may become visible this much later than the time of its decision. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  /** The interval of full scans, which find records of commits that took longer. */
  private static final Duration FULL_SCAN_INTERVAL = Duration.ofSeconds(30);

  private final InstantSource clock;
  // guarded by this
  private @Nullable Instant lastFull;
  private Instant last = Instant.EPOCH;

  public ScanWindow(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * One scan.
   *
   * @param window empty = full scan
   */
  public record Scan(Instant begunAt, Optional<Duration> window) {}

  public synchronized Scan begin() {
    var now = clock.instant();
    // scan fully if the clock was set back
    var isFull =
        lastFull == null || now.isBefore(last) || !now.isBefore(lastFull.plus(FULL_SCAN_INTERVAL));
    return new Scan(
        now, isFull ? Optional.empty() : Optional.of(Duration.between(last, now).plus(MARGIN)));
  }

  /** Records that the scan found all due records, and that they were processed. */
  public synchronized void completed(Scan scan) {
    last = scan.begunAt();
    if (scan.window().isEmpty()) {
      lastFull = last;
    }
  }

  /** Makes the next scan a full one, to find a record again. */
  public synchronized void reset() {
    lastFull = null;
  }
}
