package dev.hapax.client.claim;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.CompletionFunction;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Entity;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The claim of a running action. Safe to use from any thread. */
public final class RunningAction {

  private final BeginActionResponse.Granted grant;
  private final ClaimLease lease;
  private final Heartbeats heartbeats;
  private final String workspace;
  private volatile ActionResult.@Nullable Success<?> completion;
  private volatile boolean committed;

  RunningAction(
      BeginActionResponse.Granted grant,
      ClaimLease lease,
      Heartbeats heartbeats,
      String workspace) {
    this.workspace = workspace;
    this.grant = grant;
    this.lease = lease;
    this.heartbeats = heartbeats;
    heartbeats.keep(lease);
  }

  /** The entity at the grant: in the claim state, if the step has one. */
  public Entity entity() {
    return grant.getEntity();
  }

  /** The name of the action in the lifecycle; empty = none. */
  public String name() {
    return grant.getAction();
  }

  /**
   * The fencing token: it only rises for one entity. Write it with the data of the action, and
   * reject writes without a higher one: {@code UPDATE … SET …, fence = ? WHERE id = ? AND fence <
   * ?}.
   */
  public long fence() {
    return grant.getClaim().getFence();
  }

  /**
   * Whether this holder is the only one: the step has a claim state. False: other holders may act
   * too, and the first to complete wins.
   */
  public boolean isExclusive() {
    return grant.getExclusive();
  }

  /**
   * The remaining lease without further renewals, less a tenth for safety; 0 if the claim is lost.
   * Renewals extend it.
   */
  public Duration leaseLeft() {
    return lease.remaining();
  }

  /**
   * Whether the claim is lost: Hapax reported it, or renewals failed for the whole lease. An action
   * that can still stop should stop. Once true, it stays true. The result of the action is dropped,
   * unless Hapax was just unreachable and no other holder has taken over.
   */
  public boolean isLost() {
    return lease.isLost();
  }

  /**
   * Runs the listener once, on another thread, when the claim is lost while the action runs; at
   * once if it is lost already. See also {@link Claims#withInterruptWhenLost}.
   */
  public void onLost(Runnable listener) {
    lease.onLost(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Throws if the claim is lost.
   *
   * @throws ActionException.ClaimLost if the claim {@link #isLost}
   */
  public void throwIfLost() {
    if (isLost()) {
      throw new ActionException.ClaimLost(reason(), null);
    }
  }

  /**
   * Completes the action in your own transaction on the database of Hapax: the entity makes its
   * transition if and only if the transaction commits. Call it last, as it locks the entity until
   * then, and end the transaction before the action returns. The lease is not renewed any more.
   *
   * <pre>{@code
   * claims.run(
   *     request,
   *     action ->
   *         transactions.execute(
   *             () -> {
   *               insertPayment(connection);
   *               return action.complete(connection, ActionResult.success(receipt));
   *             }));
   * }</pre>
   *
   * <p>If the commit throws, let the exception leave the action: the client then finds out whether
   * the transaction was committed, and the outcome is {@link ActionOutcome.Ran} if it was.
   *
   * @param result a success; {@link PayloadCodec}s of its output must write JSON, which PostgreSQL
   *     normalizes
   * @return the result, to be returned by the action
   * @throws ActionException.ClaimLost if the claim is lost; roll back
   * @throws SqlCompletionException if Hapax refuses the completion; roll back
   * @throws SQLException for any other error of the database
   */
  public <T extends @Nullable Object> ActionResult<T> complete(
      Connection connection, ActionResult<T> result) throws SQLException {
    if (!(result instanceof ActionResult.Success<T> success)) {
      throw new IllegalArgumentException(
          "only a success can be completed; roll back, and return the other results");
    }
    heartbeats.stop(lease);
    CompletionFunction.ACTION.call(
        connection,
        workspace,
        lease.claim(),
        success.output(),
        refused -> new ActionException.ClaimLost(reason(), refused));
    completion = success;
    return result;
  }

  /** The last result that {@link #complete} sent, perhaps in a transaction that rolled back. */
  ActionResult.@Nullable Success<?> completion() {
    return completion;
  }

  /** The transaction of the completion was committed. */
  void committed() {
    committed = true;
  }

  boolean isCommitted() {
    return committed;
  }

  ClaimLostReason reason() {
    ClaimLostReason reason = lease.lostReason();
    return reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason;
  }

  ClaimLease lease() {
    return lease;
  }

  /** Ends the renewals: the action has ended, or its end may not be recorded. */
  void stopRenewals() {
    heartbeats.release(lease);
    lease.ended();
  }
}
