package dev.hapax.client.claim;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.ClaimLostReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What {@link ActionOutcome#orThrow} throws: one type per outcome, but {@code Ran}. */
public abstract sealed class ActionException extends HapaxException {

  private ActionException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** See {@link ActionOutcome.Failed}. */
  public static final class Failed extends ActionException {
    Failed(String message) {
      super(message, null);
    }
  }

  /** See {@link ActionOutcome.Invalid}. */
  public static final class Invalid extends ActionException {
    Invalid(String message) {
      super(message, null);
    }
  }

  /** See {@link ActionOutcome.ClaimFailed}. */
  public static final class ClaimFailed extends ActionException {
    private final String holder;
    private final Duration leaseRemaining;

    ClaimFailed(ActionOutcome.ClaimFailed<?> outcome) {
      super(outcome.message(), null);
      this.holder = outcome.holder();
      this.leaseRemaining = outcome.leaseRemaining();
    }

    /** Who acts on the entity. */
    public String holder() {
      return holder;
    }

    /** How much was left of its lease. */
    public Duration leaseRemaining() {
      return leaseRemaining;
    }
  }

  /** See {@link ActionOutcome.WrongStatus}. */
  public static final class WrongStatus extends ActionException {
    private final String status;

    WrongStatus(String status) {
      super("the step does not lead from " + status, null);
      this.status = status;
    }

    /** Where the entity is. */
    public String status() {
      return status;
    }
  }

  /** See {@link ActionOutcome.NotAllowed}. */
  public static final class NotAllowed extends ActionException {
    NotAllowed() {
      super("the lifecycle has no such step for this requester", null);
    }
  }

  /** See {@link ActionOutcome.NeedsRecovery}. */
  public static final class NeedsRecovery extends ActionException {
    NeedsRecovery() {
      super("whoever acted on it is gone, and its module has to look first what was done", null);
    }
  }

  /** See {@link ActionOutcome.ClaimLost}; and what {@link RunningAction#throwIfLost} throws. */
  public static final class ClaimLost extends ActionException {
    private final ClaimLostReason reason;

    ClaimLost(ClaimLostReason reason, @Nullable Throwable failure) {
      super("the claim is lost: " + reason, failure);
      this.reason = reason;
    }

    /** Why, such as CLAIM_LOST_REASON_LEASE_LOST. */
    public ClaimLostReason reason() {
      return reason;
    }
  }

  /** See {@link ActionOutcome.Unrecorded}. */
  public static final class Unrecorded extends ActionException {
    Unrecorded(Throwable cause) {
      super("the action ran, but Hapax did not say whether that is recorded", cause);
    }
  }
}
