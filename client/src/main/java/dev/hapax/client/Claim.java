package dev.hapax.client;

import dev.hapax.client.Calls.Answer;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.ClaimLostReason;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to finish one piece of work. Its lease is renewed until the end of the work is
 * recorded. Thread-safe.
 *
 * <p>There are two ways to lose it. <em>Revoked</em>: Hapax has reported the loss; the result is
 * rejected. <em>Expired</em>: no renewal succeeded in time, so another holder may have it; the
 * result is still sent, and counts unless another holder has taken over.
 */
public final class Claim {

  /** Nothing is due. */
  static final long NEVER = Long.MAX_VALUE / 4;

  private static final Logger log = LoggerFactory.getLogger(Claim.class);
  private static final long MAX_RETRY_PAUSE = Duration.ofSeconds(2).toNanos();
  private static final long MAX_RENEWAL_TIMEOUT = Duration.ofSeconds(5).toNanos();
  private static final long MIN_RENEWAL_TIMEOUT = Duration.ofMillis(20).toNanos();

  private final Grant grant;
  private final @Nullable Lease lease;
  private volatile String accountAfter = "";
  private final Details details = new Details();
  private volatile @Nullable Completed completed;
  private volatile boolean isCommitted;

  /**
   * What is known of a claim from its grant.
   *
   * @param sql completes its work in a transaction
   */
  record Grant(
      dev.hapax.v1.Claim message,
      int attempt,
      boolean isReclaimed,
      boolean isAccountChanging,
      SqlCompletion sql) {}

  /** A completion in a transaction, which may be rolled back. */
  record Completed(@Nullable Object value) {}

  private Claim(Grant grant, @Nullable Lease lease) {
    this.grant = grant;
    this.lease = lease;
  }

  /**
   * A claim from the response that granted it. If the server kept that call waiting, {@code
   * remaining} includes the wait: then only the first renewal shows the length of the lease.
   *
   * @param holdAtMost the end of renewals
   * @param lossListener runs at once if the claim is lost, also after the end of the work
   */
  static Claim of(
      Grant grant,
      Timing timing,
      Answer<?> answer,
      Duration remaining,
      Duration holdAtMost,
      Runnable lossListener) {
    return new Claim(
        grant,
        new Lease(
            grant.message.getId(),
            timing,
            answer.sentAt() + answer.roundTrip(),
            remaining.toNanos() - answer.roundTrip(),
            holdAtMost,
            lossListener));
  }

  /** The claim of work that Hapax does not know, as of work without a request id. */
  public static Claim untracked() {
    return new Claim(
        new Grant(dev.hapax.v1.Claim.getDefaultInstance(), 1, false, true, SqlCompletion.UNTRACKED),
        null);
  }

  /** Its id; empty if the work is not tracked. */
  public String id() {
    return grant.message.getId();
  }

  /**
   * Only rises for one resource: write it with what the work writes, and refuse lower ones there.
   */
  public long fence() {
    return grant.message.getFence();
  }

  /** Which attempt this is, from 1. */
  public int attempt() {
    return grant.attempt;
  }

  /** Whether an earlier holder has died: find out first what it did. */
  public boolean isReclaimed() {
    return grant.isReclaimed;
  }

  /** Whether Hapax tracks the work; false without a request id, and if it failed open. */
  public boolean isTracked() {
    return lease != null;
  }

  /**
   * Whether another holder may have the work by now. By the clock, so that a process that was
   * suspended sees it at once.
   */
  public boolean isLost() {
    return lease != null && lease.isLost();
  }

  /**
   * Throws if the claim is lost: then stop, since the result is dropped.
   *
   * @throws HapaxException.ClaimLost if it is lost
   */
  public void throwIfLost() {
    if (isLost()) {
      throw lost(null);
    }
  }

  /** As {@link #throwIfLost}, but only if Hapax has reported the loss. */
  void throwIfRevoked() {
    if (lease != null && lease.isRevoked()) {
      throw lost(null);
    }
  }

  /** What an interrupt means that no caller has sent. */
  HapaxException interrupted(InterruptedException interrupted) {
    Thread.currentThread().interrupt();
    return isLost() ? lost(null) : new HapaxException.Unavailable(interrupted);
  }

  /** Runs this when the claim is lost; at once if it is. Not after the end of the work. */
  public void onLost(Runnable listener) {
    Objects.requireNonNull(listener, "listener");
    if (lease != null) {
      lease.onLost(listener);
    }
  }

  /** How long the holder may rely on the claim; 0 = it is lost. */
  public Duration leaseLeft() {
    return lease == null ? Duration.ofDays(36_500) : lease.left();
  }

  /**
   * Completes the work in a transaction of its own database, if that is the one of Hapax: what the
   * transaction writes and the completion are committed together, or not at all. Return the value
   * from the work, too. {@link Tx} also commits.
   *
   * @param connection not in auto-commit mode
   * @param value what a duplicate gets; its JSON is stored
   * @throws HapaxException.ClaimLost if another holder has taken over; roll back
   * @throws HapaxException.Refused if Hapax refuses the completion, as its text says; its cause has
   *     the SQLSTATE. Roll back
   * @throws SQLException for any other error of the database
   */
  public <T extends @Nullable Object> T completeIn(Connection connection, T value)
      throws SQLException {
    if (lease != null) {
      grant.sql.complete(this, connection, value);
      completed = new Completed(value);
    }
    return value;
  }

  /**
   * Sets the account that the operation belongs to after its success, such as that of a new user.
   *
   * @throws IllegalStateException if the operation is not {@link Operation#accountChanging}
   */
  public void accountAfter(String account) {
    if (!grant.isAccountChanging) {
      throw new IllegalStateException("the operation is not account-changing");
    }
    accountAfter = KeyText.check("account", account);
  }

  String accountAfter() {
    return accountAfter;
  }

  /** Those of the work of a task. */
  Details details() {
    return details;
  }

  /** Null = no transaction has completed it. */
  @Nullable Completed completed() {
    return completed;
  }

  /** The transaction of the completion was committed. */
  void committed() {
    isCommitted = completed != null;
  }

  boolean isCommitted() {
    return isCommitted;
  }

  dev.hapax.v1.Claim message() {
    return grant.message;
  }

  Lease lease() {
    return Objects.requireNonNull(lease, "the work is not tracked");
  }

  HapaxException.ClaimLost lost(@Nullable Throwable failure) {
    ClaimLostReason reason = lease == null ? null : lease.lostReason();
    return new HapaxException.ClaimLost(
        name(reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason), failure);
  }

  static String name(ClaimLostReason reason) {
    return reason.name().replace("CLAIM_LOST_REASON_", "");
  }

  /** The lease of a claim. {@link Renewals} renews it. */
  static final class Lease {
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
}
