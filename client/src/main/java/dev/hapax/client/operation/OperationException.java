package dev.hapax.client.operation;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Failure;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Outcome#orThrow} throws, one type per outcome without a result; and what {@link
 * Operations} throws when it gets no outcome: {@link Unavailable}, {@link Refused}, {@link
 * Unreadable}.
 */
public abstract sealed class OperationException extends HapaxException {

  private OperationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** See {@link Outcome.Rejected}. */
  public static final class Rejected extends OperationException {
    private final transient Failure failure;

    Rejected(Failure failure) {
      super("failed for good: " + failure.getCode() + " " + failure.getMessage(), null);
      this.failure = failure;
    }

    /** The failure that was stored. */
    public Failure failure() {
      return failure;
    }
  }

  /** See {@link Outcome.NotRetained}. */
  public static final class NotRetained extends OperationException {
    NotRetained() {
      super("it was done, but its result was not kept", null);
    }
  }

  /** See {@link Outcome.InProgress}. */
  public static final class InProgress extends OperationException {
    private final Duration retryAfter;

    InProgress(Duration retryAfter) {
      super("another call with this request id is in progress", null);
      this.retryAfter = retryAfter;
    }

    /** When asking again is worth it. */
    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /** See {@link Outcome.KeyReused}. */
  public static final class KeyReused extends OperationException {
    KeyReused() {
      super("the request id was used with another request", null);
    }
  }

  /** See {@link Outcome.Indeterminate}. */
  public static final class Indeterminate extends OperationException {
    Indeterminate() {
      super("a former attempt may or may not have done it", null);
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
      super("it was done, but Hapax did not say whether the result is stored", cause);
    }
  }

  /** Hapax could not be reached in time. The work was not run; the same call may be made again. */
  public static final class Unavailable extends OperationException {
    Unavailable(Throwable cause) {
      super("Hapax cannot be reached; nothing was done", cause);
    }
  }

  /**
   * Hapax refused the request itself: a field breaks a rule, or the account-changing operation
   * belongs to another account. The work was not run.
   */
  public static final class Refused extends OperationException {
    private final transient StatusRuntimeException status;

    Refused(StatusRuntimeException status) {
      super("Hapax refused the request: " + status.getStatus(), status);
      this.status = status;
    }

    /** What Hapax answered. */
    public StatusRuntimeException status() {
      return status;
    }
  }

  /** Another call did the work, but its stored result cannot be read with this codec. */
  public static final class Unreadable extends OperationException {
    Unreadable(Throwable cause) {
      super("the stored result cannot be read: " + cause.getMessage(), cause);
    }
  }
}
