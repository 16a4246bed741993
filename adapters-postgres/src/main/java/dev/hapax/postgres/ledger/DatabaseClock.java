package dev.hapax.postgres.ledger;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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

  /** A reading that took longer is too inexact for an estimate: leases would end early by it. */
  private static final Duration EXACT = Duration.ofMillis(20);

  /** For how long a reading is better than later ones that took longer. */
  private static final long BEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** An older reading is too old for an estimate. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How far two clocks may drift apart: a thousandth. */
  private static final long DRIFT = 1_000;

  private final LongSupplier nanos;
  private final long exactNanos;

  // guarded by this
  private @Nullable Reading last;
  private @Nullable Reading best;
  private Instant latest = Instant.MIN;
  private long jumps;
  private Duration offset = Duration.ZERO;

  /** A time of the database, read between two times of this process. */
  private record Reading(Instant now, long sentNanos, long receivedNanos) {
    long tookNanos() {
      return receivedNanos - sentNanos;
    }

    /** The time of the database at this time of the process, or a little before. */
    Instant atLeast(long nanos) {
      return now.plusNanos(nanos - receivedNanos);
    }

    /** Whether the clock was set back since: it shows less now than it must. */
    boolean isAheadOf(Reading later) {
      return atLeast(later.receivedNanos).isAfter(later.now.plusNanos(later.tookNanos()));
    }

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

  public DatabaseClock() {
    this(EXACT);
  }

  /** As for a machine on which a round trip takes at most this long. */
  public DatabaseClock(Duration exact) {
    this(exact, System::nanoTime);
  }

  DatabaseClock(Duration exact, LongSupplier nanos) {
    this.exactNanos = exact.toNanos();
    this.nanos = nanos;
  }

  /**
   * Takes a time that was read just now.
   *
   * @param sentNanos when the query was sent, by {@link System#nanoTime}
   */
  public synchronized void read(Instant now, long sentNanos) {
    var reading = new Reading(now, sentNanos, nanos.getAsLong());
    if (last != null) {
      last.jumpTo(reading).ifPresent(this::jumped);
    }
    last = reading;
    if (best != null && best.isAheadOf(reading)) {
      forget();
    }
    if (best == null
        || reading.tookNanos() <= best.tookNanos()
        || reading.receivedNanos() - best.receivedNanos() >= BEST_NANOS) {
      best = reading;
    }
    latest = later(now);
    offset = Duration.between(Instant.now(), now);
  }

  /** Makes no estimate until the next reading: the last one was wrong. */
  synchronized void forget() {
    best = null;
    latest = Instant.MIN;
  }

  private void jumped(Duration jump) {
    jumps++;
    forget();
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

  /**
   * The time of the database, or up to 20 ms before it; empty without an exact reading of the last
   * ten seconds. One estimate is not before another one, unless the clock went back.
   */
  synchronized Optional<Instant> estimate() {
    var at = nanos.getAsLong();
    if (best == null || at - best.receivedNanos() >= FRESH_NANOS || best.tookNanos() > exactNanos) {
      return Optional.empty();
    }
    var atLeast = best.atLeast(at);
    latest = later(atLeast.truncatedTo(ChronoUnit.MICROS));
    return Optional.of(latest);
  }

  private Instant later(Instant time) {
    return latest.isAfter(time) ? latest : time;
  }

  /** About the time of the database, for what is no decision. */
  public Instant now() {
    return Instant.now().plus(offset());
  }

  /** The number of jumps since the start of this server. */
  public synchronized long jumps() {
    return jumps;
  }
}
