package dev.hapax.client.operation;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Failure;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The exceptions of {@link Outcome#orThrow}, one type per outcome without a result, and of {@link
 * Operations} if there is no outcome: {@link Unavailable}, {@link Refused}, {@link Unreadable},
 * {@link NotCommitted}.
 */
public abstract sealed class OperationException extends HapaxException {

  private OperationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** See {@link Outcome.Rejected}. */
  public static final class Rejected extends OperationException {
    private final transient Failure failure;

    Rejected(Failure failure) {
      super("the operation failed: " + failure.getCode() + " " + failure.getMessage(), null);
      this.failure = failure;
    }

    /** The recorded failure. */
    public Failure failure() {
      return failure;
    }
  }

  /** See {@link Outcome.NotRetained}. */
  public static final class NotRetained extends OperationException {
    NotRetained() {
      super("the work is done, but its result was not kept", null);
    }
  }

  /** See {@link Outcome.InProgress}. */
  public static final class InProgress extends OperationException {
    private final Duration retryAfter;

    InProgress(Duration retryAfter) {
      super("another call with this request id is in progress", null);
      this.retryAfter = retryAfter;
    }

    /** The delay before a retry. */
    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /** See {@link Outcome.KeyReused}. */
  public static final class KeyReused extends OperationException {
    KeyReused() {
      super("the request id was already used with another request; use a new one", null);
    }
  }

  /** See {@link Outcome.Indeterminate}. */
  public static final class Indeterminate extends OperationException {
    Indeterminate() {
      super(
          "an earlier attempt may have taken effect; an operator must resolve the operation", null);
    }
  }

  /** See {@link Outcome.ClaimLost}. */
  public static final class ClaimLost extends OperationException {
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

  /** See {@link Outcome.Unrecorded}. */
  public static final class Unrecorded extends OperationException {
    Unrecorded(Throwable cause) {
      super("the work is done, but its result may not be recorded: no response from Hapax", cause);
    }
  }

  /**
   * The work returned a result, but the transaction in which it was completed did not commit. The
   * request id is free again.
   */
  public static final class NotCommitted extends OperationException {
    NotCommitted() {
      super("the transaction that completed the operation was not committed", null);
    }
  }

  /** Hapax was unreachable for too long. The work did not run; the same call is safe to repeat. */
  public static final class Unavailable extends OperationException {
    Unavailable(Throwable cause) {
      super("Hapax is unreachable; the work did not run, retry with the same request id", cause);
    }
  }

  /**
   * Hapax rejected the request: a field is invalid, or the account-changing operation belongs to
   * another account. The work did not run.
   */
  public static final class Refused extends OperationException {
    private final transient StatusRuntimeException status;

    Refused(StatusRuntimeException status) {
      super("Hapax rejected the request: " + status.getStatus(), status);
      this.status = status;
    }

    /** The response of Hapax. */
    public StatusRuntimeException status() {
      return status;
    }
  }

  /** The work is done, but the codec cannot read its recorded result. */
  public static final class Unreadable extends OperationException {
    Unreadable(Throwable cause) {
      super("the codec cannot read the recorded result: " + cause.getMessage(), cause);
    }
  }
}
