package dev.hapax.client.internal;

import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of an operation, a task or an action, and how long its holder may rely on it. {@link
 * Heartbeats} renews it.
 *
 * <p>There are two ways to lose it. <em>Revoked</em>: Hapax has reported the loss; the holder's
 * result is rejected. <em>Expired</em>: no renewal succeeded in time, so another holder may have
 * it; the holder still sends its result, which counts unless another holder has taken over.
 */
public final class ClaimLease {

  /** Nothing is due. */
  static final long NEVER = Long.MAX_VALUE / 4;

  private static final Logger log = LoggerFactory.getLogger(ClaimLease.class);
  private static final long MAX_RETRY_PAUSE = Duration.ofSeconds(2).toNanos();
  private static final long MAX_RENEWAL_TIMEOUT = Duration.ofSeconds(5).toNanos();
  private static final long MIN_RENEWAL_TIMEOUT = Duration.ofMillis(20).toNanos();

  private final Timing timing;
  private final Claim claim;
  private final long granted;
  private final Duration grantedLength;
  private final long renewUntil;
  private final Runnable lossListener;
  private final List<Runnable> listeners = new ArrayList<>();
  private final CompletableFuture<@Nullable Void> revocation = new CompletableFuture<>();
  private long length;
  private long nextRenewal;
  private boolean renewing;
  private boolean noHeartbeats;
  private boolean detached;
  private volatile long safeUntil;
  private volatile boolean ended;
  private volatile @Nullable ClaimLostReason lostReason;

  /**
   * A lease from the response that granted it. If the server kept that call waiting, {@code
   * remaining} includes the wait: then only the first renewal shows the length of the lease.
   *
   * @param holdAtMost the end of renewals
   * @param lossListener runs at once if the claim is lost, also after the end of the work
   */
  public ClaimLease(
      Timing timing,
      Claim claim,
      RetryingCalls.Answer<?> grant,
      Duration remaining,
      Duration holdAtMost,
      Runnable lossListener) {
    this.timing = timing;
    this.lossListener = lossListener;
    this.claim = claim;
    granted = grant.sentAt() + grant.roundTrip();
    length = Math.max(1, remaining.toNanos() - grant.roundTrip());
    grantedLength = Duration.ofNanos(length);
    safeUntil = granted + length - length / 10;
    nextRenewal = granted + length / 3;
    renewUntil = granted + holdAtMost.toNanos();
  }

  public Claim claim() {
    return claim;
  }

  /**
   * The time of Hapax, exact to about a round trip.
   *
   * @param until when the lease expires by that time, as it was granted
   */
  public Instant timeOfHapax(Instant until) {
    return until.minus(grantedLength).plusNanos(timing.nanos() - granted);
  }

  /** The timeout of a renewal of all these leases. */
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

  /** How long the holder may rely on the lease; 0 = it is lost. */
  public Duration remaining() {
    return isLost() ? Duration.ZERO : Duration.ofNanos(Math.max(0, safeUntil - timing.nanos()));
  }

  /** Evaluated on the clock, not by a timer, so that a suspended process sees the loss at once. */
  public boolean isLost() {
    if (lostReason == null && !ended && timing.nanos() - safeUntil >= 0) {
      lose(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
    return lostReason != null;
  }

  public boolean isRevoked() {
    return revocation.isDone();
  }

  /** Done when Hapax has reported the loss, or the holder gives the claim up. */
  public CompletableFuture<@Nullable Void> revocation() {
    return revocation;
  }

  /** The reason of the loss, or null. */
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

  /** The work has ended: losses are no longer reported, but the lease is still renewed. */
  public synchronized void workEnded() {
    detached = true;
    listeners.clear();
  }

  /** The claim has ended or is abandoned: it can no longer expire. */
  public void ended() {
    ended = true;
  }

  /** Marks the claim as lost: Hapax reported it, or the holder gives it up. */
  public void revoke(ClaimLostReason reason) {
    boolean isNew;
    synchronized (this) {
      noHeartbeats = true;
      renewing = false;
      notifyAll();
      isNew = mark(reason);
    }
    // after the reason, which those who wait for the revocation read
    revocation.complete(null);
    if (isNew) {
      reportLoss(reason);
    }
  }

  /** Sends no further heartbeats, and waits for the one in flight, which ends in bounded time. */
  synchronized void stopHeartbeats() throws InterruptedException {
    noHeartbeats = true;
    while (renewing) {
      wait();
    }
  }

  /** Whether less than half of the lease remains. */
  synchronized boolean isPastHalf() {
    return safeUntil - timing.nanos() < length / 2;
  }

  /** Whether to send a renewal now. One that is nearly due joins the others. */
  synchronized boolean beginRenewal(long now) {
    if (noHeartbeats || renewing || nextRenewal - length / 6 - now > 0) {
      return false;
    }
    if (now - renewUntil >= 0) {
      log.warn("claim {} is no longer renewed: its holder exceeded holdAtMost", claim.getId());
      noHeartbeats = true;
      return false;
    }
    renewing = true;
    return true;
  }

  public synchronized void renewed(RetryingCalls.Answer<?> answer, Duration remaining) {
    renewing = false;
    notifyAll();
    length = Math.max(1, remaining.toNanos());
    safeUntil = answer.sentAt() + length - Math.max(length / 10, 2 * answer.roundTrip());
    nextRenewal = answer.sentAt() + length / 3;
  }

  public synchronized void notRenewed() {
    renewing = false;
    notifyAll();
    nextRenewal = timing.nanos() + Math.min(length / 12, MAX_RETRY_PAUSE);
  }

  /** Nanoseconds until the next renewal or the expiry. */
  public synchronized long dueIn(long now) {
    long beat = noHeartbeats || renewing ? NEVER : nextRenewal - now;
    long end = lostReason != null ? NEVER : safeUntil - now;
    return Math.min(beat, end);
  }

  private void lose(ClaimLostReason reason) {
    if (mark(reason)) {
      reportLoss(reason);
    }
  }

  /** Returns whether it was not lost before. */
  private synchronized boolean mark(ClaimLostReason reason) {
    if (lostReason != null) {
      return false;
    }
    lostReason = reason;
    return true;
  }

  private void reportLoss(ClaimLostReason reason) {
    List<Runnable> listenersToNotify;
    boolean workEnded;
    synchronized (this) {
      listenersToNotify = List.copyOf(listeners);
      listeners.clear();
      workEnded = detached;
    }
    lossListener.run();
    if (workEnded) {
      return;
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
