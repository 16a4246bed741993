package dev.hapax.client.operation;

import dev.hapax.client.FailureKind;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What running work knows of its claim. Safe to use from any thread.
 *
 * <p>Without a request id, or where Hapax could not be reached and the work was allowed to run
 * anyway, the operation is <em>untracked</em>: it has no claim, can lose none, and nothing of it is
 * recorded.
 */
public final class RunningOperation {

  private final BeginOperationResponse.Acquired grant;
  private final boolean accountChanging;
  private final @Nullable ClaimLease lease;
  private final @Nullable Heartbeats heartbeats;
  private volatile String accountAfter = "";
  private volatile @Nullable FailureKind kind;

  private RunningOperation(BeginOperationResponse.Acquired untracked) {
    grant = untracked;
    accountChanging = true;
    lease = null;
    heartbeats = null;
  }

  RunningOperation(
      BeginOperationResponse.Acquired grant,
      boolean accountChanging,
      ClaimLease lease,
      Heartbeats heartbeats) {
    this.grant = grant;
    this.accountChanging = accountChanging;
    this.lease = lease;
    this.heartbeats = heartbeats;
    heartbeats.keep(lease);
  }

  /** A fresh handle without a claim. */
  static RunningOperation untracked() {
    return new RunningOperation(BeginOperationResponse.Acquired.newBuilder().setAttempt(1).build());
  }

  /** Whether there is a claim at all. */
  public boolean isTracked() {
    return lease != null;
  }

  /**
   * The fencing token: it only rises for one key. Hand it to what the work writes to, and refuse
   * there whatever carries a lower one. 0 when untracked.
   */
  public long fence() {
    return grant.getClaim().getFence();
  }

  /** 1 for the first grant of this key, one more for each after it. */
  public int attempt() {
    return grant.getAttempt();
  }

  /** A former holder let its lease end: its effects may have happened already. */
  public boolean reclaimed() {
    return grant.getReclaimed();
  }

  /**
   * Whether the claim is lost, or can no longer be believed in because renewals did not get
   * through. Work that can still stop should; what it has done may be repeated by another holder.
   * Once true, it stays true. The answer is offered to Hapax nevertheless, and stands if nobody
   * took over.
   */
  public boolean isLost() {
    return lease != null && lease.isLost();
  }

  /**
   * Runs the listener once, on a thread of its own, when the claim is lost while the work runs; at
   * once if it is lost already.
   */
  public void onLost(Runnable listener) {
    Objects.requireNonNull(listener, "listener");
    if (lease != null) {
      lease.onLost(listener);
    }
  }

  /** A checkpoint: throws if the claim {@link #isLost}. */
  public void throwIfLost() {
    if (isLost()) {
      ClaimLostReason reason = lease == null ? null : lease.lostReason();
      throw new OperationException.ClaimLost(
          reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason, null);
    }
  }

  /**
   * Says which account the work moved to; at most 255 characters. Afterwards the answer is replayed
   * for the account before and this one.
   *
   * @throws IllegalStateException if the operation's policy is not account-changing
   */
  public void accountAfter(String account) {
    if (!accountChanging) {
      throw new IllegalStateException("the operation's policy is not account-changing");
    }
    accountAfter = KeyText.check("account", account);
  }

  /** Says what it means if the work fails from here on, whatever the classifier would say. */
  public void failAs(FailureKind kind) {
    this.kind = Objects.requireNonNull(kind, "kind");
  }

  Claim claim() {
    return grant.getClaim();
  }

  String accountAfter() {
    return accountAfter;
  }

  @Nullable FailureKind kind() {
    return kind;
  }

  void workEnded() {
    if (lease != null) {
      lease.workEnded();
    }
  }

  void stopRenewals() {
    if (lease != null && heartbeats != null) {
      heartbeats.release(lease);
      lease.ended();
    }
  }
}
