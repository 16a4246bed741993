package dev.hapax.client.internal;

import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim of an operation, a task or an action, and how long its holder may believe in it. {@link
 * Heartbeats} keeps it alive.
 *
 * <p>There are two ways to lose it. <em>Taken</em>: Hapax said so; what the holder does counts for
 * nothing. <em>Over</em>: no heartbeat got through in time, so that another one may have it; what
 * the holder does is offered nevertheless, and stands if nobody took over.
 */
public final class ClaimLease {

  /** Of a wait that ends with nothing. */
  static final long NEVER = Long.MAX_VALUE / 4;

  private static final Logger log = LoggerFactory.getLogger(ClaimLease.class);
  private static final long LONGEST_PAUSE = Duration.ofSeconds(2).toNanos();
  private static final long LONGEST_TRY = Duration.ofSeconds(5).toNanos();
  private static final long SHORTEST_TRY = Duration.ofMillis(20).toNanos();

  private final Timing timing;
  private final Claim claim;
  private final long beatUntil;
  private final List<Runnable> listeners = new ArrayList<>();
  private long length;
  private long nextBeat;
  private boolean beating;
  private boolean silent;
  private boolean deaf;
  private volatile long believedUntil;
  private volatile boolean taken;
  private volatile boolean ended;
  private volatile @Nullable ClaimLostReason lost;

  /**
   * From the answer that granted it. If that had waited, {@code remaining} has the wait in it: then
   * how long the lease is shows only with the first heartbeat.
   *
   * @param holdAtMost after it there are no more heartbeats
   */
  public ClaimLease(
      Timing timing,
      Claim claim,
      RetryingCalls.Answer<?> grant,
      Duration remaining,
      Duration holdAtMost) {
    this.timing = timing;
    this.claim = claim;
    long granted = grant.sentAt() + grant.roundTrip();
    length = Math.max(1, remaining.toNanos() - grant.roundTrip());
    believedUntil = granted + length - length / 10;
    nextBeat = granted + length / 3;
    beatUntil = granted + holdAtMost.toNanos();
  }

  public Claim claim() {
    return claim;
  }

  /** How long to wait for the answer to a heartbeat of all of these. */
  public static Duration patienceOf(Collection<ClaimLease> leases) {
    long patience = LONGEST_TRY;
    for (ClaimLease lease : leases) {
      patience = Math.min(patience, lease.length() / 3);
    }
    return Duration.ofNanos(Math.max(SHORTEST_TRY, patience));
  }

  private synchronized long length() {
    return length;
  }

  /** For how long the holder may still believe in it; 0 = it is lost. */
  public Duration left() {
    return isLost() ? Duration.ZERO : Duration.ofNanos(Math.max(0, believedUntil - timing.nanos()));
  }

  /** Judged by the clock, not by a timer: a process that slept knows it at once. */
  public boolean isLost() {
    if (lost == null && !ended && timing.nanos() - believedUntil >= 0) {
      lose(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
    return lost != null;
  }

  public boolean isTaken() {
    return taken;
  }

  /** Why it is lost, if it is. */
  public @Nullable ClaimLostReason lost() {
    return lost;
  }

  public void onLost(Runnable listener) {
    synchronized (this) {
      if (deaf) {
        return;
      }
      if (!isLost()) {
        listeners.add(listener);
        return;
      }
    }
    tell(listener);
  }

  /** The work is over: nobody is told of a loss any more, though the lease is still kept. */
  public synchronized void workEnded() {
    deaf = true;
    listeners.clear();
  }

  /** What it was for has ended, or is left to itself: it is not lost by time any more. */
  public void ended() {
    ended = true;
  }

  /** Hapax says that it is lost, or its holder gives it up. */
  public void take(ClaimLostReason reason) {
    taken = true;
    synchronized (this) {
      silent = true;
    }
    lose(reason);
  }

  /** Whether to send a heartbeat now; one that is nearly due goes with the others. */
  synchronized boolean beginBeat(long now) {
    if (silent || beating || nextBeat - length / 6 - now > 0) {
      return false;
    }
    if (now - beatUntil >= 0) {
      log.warn("claim {} gets no more heartbeats: its holder holds it too long", claim.getId());
      silent = true;
      return false;
    }
    beating = true;
    return true;
  }

  public synchronized void renewed(RetryingCalls.Answer<?> answer, Duration remaining) {
    beating = false;
    length = Math.max(1, remaining.toNanos());
    believedUntil = answer.sentAt() + length - Math.max(length / 10, 2 * answer.roundTrip());
    nextBeat = answer.sentAt() + length / 3;
  }

  public synchronized void notRenewed() {
    beating = false;
    nextBeat = timing.nanos() + Math.min(length / 12, LONGEST_PAUSE);
  }

  /** Nanoseconds until there is something to do about it. */
  public synchronized long dueIn(long now) {
    long beat = silent || beating ? NEVER : nextBeat - now;
    long end = lost != null ? NEVER : believedUntil - now;
    return Math.min(beat, end);
  }

  private void lose(ClaimLostReason reason) {
    List<Runnable> told;
    synchronized (this) {
      if (lost != null) {
        return;
      }
      lost = reason;
      told = List.copyOf(listeners);
      listeners.clear();
      if (deaf) {
        return;
      }
    }
    log.warn("claim {} is lost: {}", claim.getId(), reason);
    told.forEach(this::tell);
  }

  private void tell(Runnable listener) {
    timing
        .callbacks()
        .execute(
            () -> {
              try {
                listener.run();
              } catch (RuntimeException thrown) {
                log.error("a listener for the loss of claim {} threw", claim.getId(), thrown);
              }
            });
  }
}
