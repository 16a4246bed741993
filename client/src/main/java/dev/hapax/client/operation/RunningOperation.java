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
 * The claim of running work. Safe to use from any thread.
 *
 * <p>Without a request id, or where Hapax was unreachable and the policy is {@code failOpen}, the
 * operation is <em>untracked</em>: it has no claim, cannot lose it, and nothing is recorded.
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

  /** An operation without a claim. */
  static RunningOperation untracked() {
    return new RunningOperation(BeginOperationResponse.Acquired.newBuilder().setAttempt(1).build());
  }

  /** Whether the operation has a claim. */
  public boolean isTracked() {
    return lease != null;
  }

  /**
   * The fencing token: it only rises for one key. Pass it to the systems that the work writes to,
   * and reject lower tokens there. 0 when untracked.
   */
  public long fence() {
    return grant.getClaim().getFence();
  }

  /** The number of grants of this key, 1 for the first. */
  public int attempt() {
    return grant.getAttempt();
  }

  /** Whether an earlier holder let its lease expire: its effects may have happened already. */
  public boolean reclaimed() {
    return grant.getReclaimed();
  }

  /**
   * Whether the claim is lost, or its lease expired as renewals failed. Work that can still stop
   * should stop; another holder may repeat it. Once true, it stays true. The result is still sent,
   * and counts unless another holder has taken over.
   */
  public boolean isLost() {
    return lease != null && lease.isLost();
  }

  /**
   * Runs the listener once, on another thread, when the claim is lost while the work runs; at once
   * if it is lost already.
   */
  public void onLost(Runnable listener) {
    Objects.requireNonNull(listener, "listener");
    if (lease != null) {
      lease.onLost(listener);
    }
  }

  /** Throws {@link OperationException.ClaimLost} if the claim {@link #isLost}. */
  public void throwIfLost() {
    if (isLost()) {
      ClaimLostReason reason = lease == null ? null : lease.lostReason();
      throw new OperationException.ClaimLost(
          reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason, null);
    }
  }

  /**
   * Sets the account that the work moved to; at most 255 characters. Afterwards the result is
   * replayed for the old account and this one.
   *
   * @throws IllegalStateException if the operation's policy is not account-changing
   */
  public void accountAfter(String account) {
    if (!accountChanging) {
      throw new IllegalStateException("the operation's policy is not account-changing");
    }
    accountAfter = KeyText.check("account", account);
  }

  /** Sets the kind of later failures of the work. Overrides the classifier. */
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
