package dev.hapax.postgres.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of the database, as this server reads it: its offset from the clock of this machine,
 * and its jumps. Leases, timers and starts that were set before a jump back end late by the jump.
 */
public final class DatabaseClock {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseClock.class);
  private static final Duration TOLERANCE = Duration.ofSeconds(1);

  /** How far two clocks may drift apart: a thousandth. */
  private static final long DRIFT = 1_000;

  // guarded by this
  private @Nullable Reading last;
  private long jumps;
  private Duration offset = Duration.ZERO;

  /** A time of the database, read between two times of this process. */
  private record Reading(Instant now, long sentNanos, long receivedNanos) {
    /** How far the later reading differs from the time that has passed; empty = not noticeably. */
    Optional<Duration> jumpTo(Reading later) {
      var atLeast = now.plusNanos(later.sentNanos - receivedNanos);
      var atMost = now.plusNanos(later.receivedNanos - sentNanos);
      var allowed = TOLERANCE.plusNanos(Math.abs(later.sentNanos - receivedNanos) / DRIFT);
      if (later.now.isBefore(atLeast.minus(allowed))) {
        return Optional.of(Duration.between(atLeast, later.now));
      }
      return later.now.isAfter(atMost.plus(allowed))
          ? Optional.of(Duration.between(atMost, later.now))
          : Optional.empty();
    }
  }

  /**
   * Takes a time that was read just now.
   *
   * @param sentNanos when the query was sent, by {@link System#nanoTime}
   */
  public synchronized void read(Instant now, long sentNanos) {
    var reading = new Reading(now, sentNanos, System.nanoTime());
    if (last != null) {
      last.jumpTo(reading).ifPresent(this::jumped);
    }
    last = reading;
    offset = Duration.between(Instant.now(), now);
  }

  private void jumped(Duration jump) {
    jumps++;
    if (jump.isNegative()) {
      LOG.warn(
          "the clock of the database went back by {}: leases, timers and starts that were set before end late by as"
              + " much. See docs/runbooks/clock.md",
          seconds(jump.negated()));
    } else {
      LOG.warn(
          "the clock of the database went forward by {}, or this machine was suspended: leases and timers have ended"
              + " early by as much. See docs/runbooks/clock.md",
          seconds(jump));
    }
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }

  /** How far the database is ahead of this machine; negative = behind. */
  public synchronized Duration offset() {
    return offset;
  }

  /** About the time of the database. Decisions read its clock itself. */
  public Instant now() {
    return Instant.now().plus(offset());
  }

  /** The number of jumps since the start of this server. */
  public synchronized long jumps() {
    return jumps;
  }
}
