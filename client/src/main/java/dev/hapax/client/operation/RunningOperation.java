package dev.hapax.client.operation;

import dev.hapax.client.FailureKind;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.CompletionFunction;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Payload;
import java.sql.Connection;
import java.sql.SQLException;
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
  private final String workspace;
  private volatile @Nullable Completion<?> completion;
  private volatile boolean committed;

  /** A result that was sent in a transaction. */
  record Completion<T extends @Nullable Object>(T value) {}

  private RunningOperation(BeginOperationResponse.Acquired untracked) {
    grant = untracked;
    accountChanging = true;
    lease = null;
    heartbeats = null;
    workspace = "";
  }

  RunningOperation(
      BeginOperationResponse.Acquired grant,
      boolean accountChanging,
      ClaimLease lease,
      Heartbeats heartbeats,
      String workspace) {
    this.grant = grant;
    this.workspace = workspace;
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
      throw new OperationException.ClaimLost(reason(), null);
    }
  }

  private ClaimLostReason reason() {
    ClaimLostReason reason = lease == null ? null : lease.lostReason();
    return reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason;
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

  /**
   * Completes the operation in your own transaction on the database of Hapax: the result is
   * recorded if and only if the transaction commits. Call it last, as it locks the operation until
   * then, and end the transaction before the work returns. The lease is not renewed any more. If
   * untracked, it does nothing.
   *
   * <p>If the commit throws, let the exception leave the work: the client then finds out whether
   * the transaction was committed, and the outcome is {@link Outcome.Executed} if it was.
   *
   * @param value the result that the work returns
   * @param codec the codec of the call; it must write JSON, which PostgreSQL normalizes
   * @return the value, to be returned by the work
   * @throws OperationException.ClaimLost if the claim is lost; roll back
   * @throws SqlCompletionException if Hapax refuses the completion; roll back
   * @throws SQLException for any other error of the database
   */
  public <T extends @Nullable Object> T complete(
      Connection connection, T value, PayloadCodec<T> codec) throws SQLException {
    if (lease != null && heartbeats != null) {
      Payload result = codec.encode(value);
      heartbeats.stop(lease);
      CompletionFunction.OPERATION.call(
          connection,
          workspace,
          lease.claim(),
          result,
          refused -> new OperationException.ClaimLost(reason(), refused),
          accountAfter.isEmpty() ? null : accountAfter);
      completion = new Completion<>(value);
    }
    return value;
  }

  /** The last result that {@link #complete} sent, perhaps in a transaction that rolled back. */
  @Nullable Completion<?> completion() {
    return completion;
  }

  /** The transaction of the completion was committed. */
  void committed() {
    committed = true;
  }

  boolean isCommitted() {
    return committed;
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

  /** Marks the claim as lost: Hapax reported it. */
  void revoke(ClaimLostReason reason) {
    if (lease != null) {
      lease.revoke(reason);
    }
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
