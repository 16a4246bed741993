package dev.hapax.client;

import dev.hapax.client.Calls.Answer;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.ClaimLost;
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

/** The lease of a claim. {@link Renewals} renews it. */
final class Lease {

  /** Nothing is due. */
  static final long NEVER = Long.MAX_VALUE / 4;

  private static final Logger log = LoggerFactory.getLogger(Claim.class);
  private static final long MAX_RETRY_PAUSE = Duration.ofSeconds(2).toNanos();
  private static final long MAX_RENEWAL_TIMEOUT = Duration.ofSeconds(5).toNanos();
  private static final long MIN_RENEWAL_TIMEOUT = Duration.ofMillis(20).toNanos();

  private final String id;
  private final Timing timing;
  private final long granted;
  private final Duration grantedLength;
  private final long renewUntil;
  private final Runnable lossListener;
  private final List<Runnable> listeners = new ArrayList<>();
  private final CompletableFuture<@Nullable Void> revocation = new CompletableFuture<>();
  private long length;
  private long longest;
  private long attemptUntil = NEVER;
  private long nextRenewal;
  private boolean renewing;
  private boolean noRenewals;
  private boolean workEnded;
  private volatile long safeUntil;
  private volatile boolean ended;
  private volatile @Nullable ClaimLostReason lostReason;

  Lease(
      String id,
      Timing timing,
      long granted,
      long remaining,
      Duration holdAtMost,
      Runnable lossListener) {
    this.id = id;
    this.timing = timing;
    this.granted = granted;
    this.lossListener = lossListener;
    length = Math.max(1, remaining);
    longest = length;
    grantedLength = Duration.ofNanos(length);
    safeUntil = granted + length - length / 10;
    nextRenewal = granted + length / 3;
    renewUntil = granted + holdAtMost.toNanos();
  }

  /**
   * The time of Hapax, exact to about a round trip.
   *
   * @param until when the lease expires by that time, as it was granted
   */
  Instant timeOfHapax(Instant until) {
    return until.minus(grantedLength).plusNanos(timing.nanos() - granted);
  }

  /** The timeout of a renewal of all these leases. */
  static Duration renewalTimeout(Collection<Claim> claims) {
    long timeout = MAX_RENEWAL_TIMEOUT;
    for (Claim claim : claims) {
      timeout = Math.min(timeout, claim.lease().length() / 3);
    }
    return Duration.ofNanos(Math.max(MIN_RENEWAL_TIMEOUT, timeout));
  }

  private synchronized long length() {
    return length;
  }

  Duration left() {
    return isLost() ? Duration.ZERO : Duration.ofNanos(Math.max(0, safeUntil - timing.nanos()));
  }

  boolean isLost() {
    if (lostReason == null && !ended && timing.nanos() - safeUntil >= 0) {
      lose(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
    return lostReason != null;
  }

  boolean isRevoked() {
    return revocation.isDone();
  }

  /** Done when Hapax has reported the loss, or the holder gives the claim up. */
  CompletableFuture<@Nullable Void> revocation() {
    return revocation;
  }

  @Nullable ClaimLostReason lostReason() {
    return lostReason;
  }

  /** The loss of a lost claim, as Hapax would report it. */
  ClaimLost loss() {
    ClaimLostReason reason = lostReason;
    return ClaimLost.newBuilder()
        .setReason(reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason)
        .build();
  }

  void onLost(Runnable listener) {
    synchronized (this) {
      if (workEnded) {
        return;
      }
      if (!isLost()) {
        listeners.add(listener);
        return;
      }
    }
    notifyOf(listener);
  }

  /** Losses are no longer reported, but the lease is still renewed. */
  synchronized void workEnded() {
    workEnded = true;
    listeners.clear();
  }

  /** The claim has ended or is given up: it can no longer expire. */
  void ended() {
    ended = true;
  }

  /** Hapax reported the loss, or the holder gives the claim up. */
  void revoke(ClaimLostReason reason) {
    boolean isNew;
    synchronized (this) {
      noRenewals = true;
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

  /**
   * Another attempt has begun. If this one is being recorded, its answer says whether it counts.
   */
  void overtaken() {
    boolean isRecorded;
    synchronized (this) {
      isRecorded = workEnded;
    }
    if (!isRecorded) {
      revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
  }

  /** Lets no further renewal begin, and waits for the one in flight, which ends soon. */
  synchronized void stopRenewals() throws InterruptedException {
    noRenewals = true;
    while (renewing) {
      wait();
    }
  }

  synchronized boolean isPastHalf() {
    return safeUntil - timing.nanos() < length / 2;
  }

  /** Whether to renew it now. One that is nearly due joins the others. */
  synchronized boolean beginRenewal(long now) {
    if (noRenewals || renewing || nextRenewal - length / 6 - now > 0) {
      return false;
    }
    if (now - renewUntil >= 0) {
      log.warn("claim {} is no longer renewed: its holder exceeded holdAtMost", id);
      noRenewals = true;
      return false;
    }
    renewing = true;
    return true;
  }

  synchronized void renewed(Answer<?> answer, Duration remaining) {
    renewing = false;
    notifyAll();
    length = Math.max(1, remaining.toNanos());
    longest = Math.max(longest, length);
    safeUntil = answer.sentAt() + length - Math.max(length / 10, 2 * answer.roundTrip());
    nextRenewal = answer.sentAt() + length / 3;
  }

  /** As {@link #renewed(Answer, Duration)}, in an attempt that ends. */
  synchronized void renewed(Answer<?> answer, Duration remaining, Duration attempt) {
    renewed(answer, remaining);
    attemptEnds(answer, answer.sentAt() + length, attempt);
  }

  /** No renewal leads beyond the end of the attempt, so that the lease needs no margin there. */
  synchronized void attemptEnds(Answer<?> answer, long leaseUntil, Duration attempt) {
    attemptUntil = answer.sentAt() + attempt.toNanos();
    if (attemptUntil - leaseUntil <= 0) {
      safeUntil = attemptUntil;
      nextRenewal = timing.nanos() + longest / 3;
    }
  }

  /** The remaining time of the attempt; null = it has none. */
  synchronized @Nullable Duration attemptLeft() {
    return attemptUntil == NEVER
        ? null
        : Duration.ofNanos(Math.max(0, attemptUntil - timing.nanos()));
  }

  synchronized void notRenewed() {
    renewing = false;
    notifyAll();
    nextRenewal = timing.nanos() + Math.min(length / 12, MAX_RETRY_PAUSE);
  }

  /** Nanoseconds until the next renewal or the expiry. */
  synchronized long dueIn(long now) {
    long renewal = noRenewals || renewing ? NEVER : nextRenewal - now;
    long end = lostReason != null ? NEVER : safeUntil - now;
    return Math.min(renewal, end);
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
    boolean isOver;
    synchronized (this) {
      listenersToNotify = List.copyOf(listeners);
      listeners.clear();
      isOver = workEnded;
    }
    lossListener.run();
    if (!isOver) {
      log.warn("claim {} is lost: {}", id, reason);
      listenersToNotify.forEach(this::notifyOf);
    }
  }

  private void notifyOf(Runnable listener) {
    timing
        .listeners()
        .execute(
            () -> {
              try {
                listener.run();
              } catch (RuntimeException thrown) {
                log.error("a listener for the loss of claim {} threw", id, thrown);
              }
            });
  }
}
