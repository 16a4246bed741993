package dev.hapax.client;

import dev.hapax.client.Calls.Answer;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.ClaimLostReason;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The right to finish one piece of work. Its lease is renewed until the end of the work is
 * recorded. Thread-safe.
 *
 * <p>There are two ways to lose it. <em>Revoked</em>: Hapax has reported the loss; the result is
 * rejected. <em>Expired</em>: no renewal succeeded in time, so another holder may have it; the
 * result is still sent, and counts unless another holder has taken over.
 */
public final class Claim {

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
}
