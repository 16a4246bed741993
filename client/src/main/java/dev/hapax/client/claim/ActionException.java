package dev.hapax.client.claim;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.ClaimLostReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The exceptions of {@link ActionOutcome#orThrow}, one type per outcome but {@code Ran}. */
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

    /** The current holder of the entity. */
    public String holder() {
      return holder;
    }

    /** The remaining lease of the holder. */
    public Duration leaseRemaining() {
      return leaseRemaining;
    }
  }

  /** See {@link ActionOutcome.WrongStatus}. */
  public static final class WrongStatus extends ActionException {
    private final String status;

    WrongStatus(String status) {
      super("the step does not start from status " + status, null);
      this.status = status;
    }

    /** The current status of the entity. */
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
      super(
          "the last holder's lease expired; the module's janitor must recover the entity first",
          null);
    }
  }

  /** See {@link ActionOutcome.ClaimLost} and {@link RunningAction#throwIfLost}. */
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
      super("the action ran, but its end may not be recorded: no response from Hapax", cause);
    }
  }
}
