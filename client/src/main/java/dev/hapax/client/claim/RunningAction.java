package dev.hapax.client.claim;

import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Entity;
import java.time.Duration;
import java.util.Objects;

/** What an action knows of its claim. Safe to use from any thread. */
public final class RunningAction {

  private final BeginActionResponse.Granted grant;
  private final ClaimLease lease;
  private final Heartbeats heartbeats;

  RunningAction(BeginActionResponse.Granted grant, ClaimLease lease, Heartbeats heartbeats) {
    this.grant = grant;
    this.lease = lease;
    this.heartbeats = heartbeats;
    heartbeats.keep(lease);
  }

  /** The entity as it was when it was granted: in the claim state, if the step has one. */
  public Entity entity() {
    return grant.getEntity();
  }

  /** What to do, by its name in the lifecycle; empty = that names nothing. */
  public String name() {
    return grant.getAction();
  }

  /**
   * The fencing token: it only rises for one entity. Write it with what the action writes, and let
   * that refuse whatever does not carry a higher one than it has: {@code UPDATE … SET …, fence = ?
   * WHERE id = ? AND fence < ?}.
   */
  public long fence() {
    return grant.getClaim().getFence();
  }

  /**
   * Nobody else is granted the entity meanwhile, as the step has a claim state. False: others may
   * act too, and the first to complete wins.
   */
  public boolean isExclusive() {
    return grant.getExclusive();
  }

  /**
   * For how long the claim holds if no further renewal gets through, less a tenth of the lease to
   * be on the safe side; 0 if it is lost. Renewals make it more again.
   */
  public Duration leaseLeft() {
    return lease.remaining();
  }

  /**
   * Whether the claim is lost: Hapax said so, or renewals did not get through in time. An action
   * that can still stop should. Once true, it stays true. What the action returns is dropped,
   * unless Hapax just could not be reached and nobody took over.
   */
  public boolean isLost() {
    return lease.isLost();
  }

  /**
   * Runs the listener once, on a thread of its own, when the claim is lost while the action runs;
   * at once if it is lost already. See also {@link Claims#withInterruptWhenLost}.
   */
  public void onLost(Runnable listener) {
    lease.onLost(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * A checkpoint.
   *
   * @throws ActionException.ClaimLost if the claim {@link #isLost}
   */
  public void throwIfLost() {
    if (isLost()) {
      throw new ActionException.ClaimLost(reason(), null);
    }
  }

  ClaimLostReason reason() {
    ClaimLostReason reason = lease.lostReason();
    return reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason;
  }

  ClaimLease lease() {
    return lease;
  }

  /** The lease is left to itself: it has ended, or nobody can say. */
  void stopRenewals() {
    heartbeats.release(lease);
    lease.ended();
  }
}
