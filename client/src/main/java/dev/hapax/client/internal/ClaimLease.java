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
  private static final long MAX_RETRY_PAUSE = Duration.ofSeconds(2).toNanos();
  private static final long MAX_RENEWAL_TIMEOUT = Duration.ofSeconds(5).toNanos();
  private static final long MIN_RENEWAL_TIMEOUT = Duration.ofMillis(20).toNanos();

  private final Timing timing;
  private final Claim claim;
  private final long renewUntil;
  private final List<Runnable> listeners = new ArrayList<>();
  private long length;
  private long nextRenewal;
  private boolean renewing;
  private boolean noHeartbeats;
  private boolean detached;
  private volatile long safeUntil;
  private volatile boolean revoked;
  private volatile boolean ended;
  private volatile @Nullable ClaimLostReason lostReason;

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
    safeUntil = granted + length - length / 10;
    nextRenewal = granted + length / 3;
    renewUntil = granted + holdAtMost.toNanos();
  }

  public Claim claim() {
    return claim;
  }

  /** How long to wait for the answer to a heartbeat of all of these. */
  public static Duration renewalTimeout(Collection<ClaimLease> leases) {
    long timeout = MAX_RENEWAL_TIMEOUT;
    for (ClaimLease lease : leases) {
      timeout = Math.min(timeout, lease.length() / 3);
    }
    return Duration.ofNanos(Math.max(MIN_RENEWAL_TIMEOUT, timeout));
  }

  private synchronized long length() {
    return length;
  }

  /** For how long the holder may still believe in it; 0 = it is lost. */
  public Duration remaining() {
    return isLost() ? Duration.ZERO : Duration.ofNanos(Math.max(0, safeUntil - timing.nanos()));
  }

  /** Judged by the clock, not by a timer: a process that slept knows it at once. */
  public boolean isLost() {
    if (lostReason == null && !ended && timing.nanos() - safeUntil >= 0) {
      lose(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
    return lostReason != null;
  }

  public boolean isRevoked() {
    return revoked;
  }

  /** Why it is lost, if it is. */
  public @Nullable ClaimLostReason lostReason() {
    return lostReason;
  }

  public void onLost(Runnable listener) {
    synchronized (this) {
      if (detached) {
        return;
      }
      if (!isLost()) {
        listeners.add(listener);
        return;
      }
    }
    notifyOf(listener);
  }

  /** The work is over: nobody is listenersToNotify of a loss any more, though the lease is still kept. */
  public synchronized void workEnded() {
    detached = true;
    listeners.clear();
  }

  /** What it was for has ended, or is remaining to itself: it is not lost by time any more. */
  public void ended() {
    ended = true;
  }

  /** Hapax says that it is lost, or its holder gives it up. */
  public void revoke(ClaimLostReason reason) {
    revoked = true;
    synchronized (this) {
      noHeartbeats = true;
    }
    lose(reason);
  }

  /** Whether to send a heartbeat now; one that is nearly due goes with the others. */
  synchronized boolean beginRenewal(long now) {
    if (noHeartbeats || renewing || nextRenewal - length / 6 - now > 0) {
      return false;
    }
    if (now - renewUntil >= 0) {
      log.warn("claim {} gets no more heartbeats: its holder holds it too long", claim.getId());
      noHeartbeats = true;
      return false;
    }
    renewing = true;
    return true;
  }

  public synchronized void renewed(RetryingCalls.Answer<?> answer, Duration remaining) {
    renewing = false;
    length = Math.max(1, remaining.toNanos());
    safeUntil = answer.sentAt() + length - Math.max(length / 10, 2 * answer.roundTrip());
    nextRenewal = answer.sentAt() + length / 3;
  }

  public synchronized void notRenewed() {
    renewing = false;
    nextRenewal = timing.nanos() + Math.min(length / 12, MAX_RETRY_PAUSE);
  }

  /** Nanoseconds until there is something to do about it. */
  public synchronized long dueIn(long now) {
    long beat = noHeartbeats || renewing ? NEVER : nextRenewal - now;
    long end = lostReason != null ? NEVER : safeUntil - now;
    return Math.min(beat, end);
  }

  private void lose(ClaimLostReason reason) {
    List<Runnable> listenersToNotify;
    synchronized (this) {
      if (lostReason != null) {
        return;
      }
      lostReason = reason;
      listenersToNotify = List.copyOf(listeners);
      listeners.clear();
      if (detached) {
        return;
      }
    }
    log.warn("claim {} is lost: {}", claim.getId(), reason);
    listenersToNotify.forEach(this::notifyOf);
  }

  private void notifyOf(Runnable listener) {
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
