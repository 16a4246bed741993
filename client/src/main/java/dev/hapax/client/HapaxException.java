package dev.hapax.client;

import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Each exception of this client. {@link #kind} has the same words in all client libraries of Hapax;
 * there is a class for each.
 */
public abstract class HapaxException extends RuntimeException {

  private final Kind kind;

  /** What happened. Later versions may have more kinds. */
  public enum Kind {
    /** No answer in time; the same call with the same key is safe to repeat. */
    UNAVAILABLE,
    /** Hapax rejected the call, and changed nothing. */
    REFUSED,
    /** The API key or JWT is not accepted. */
    UNAUTHENTICATED,
    /** The caller has no role for the call. */
    PERMISSION_DENIED,
    /** Hapax is newer than this client, and answered what it does not know. */
    UNKNOWN_ANSWER,
    /** Another call with the same request id is in progress. */
    IN_PROGRESS,
    /** The request id was used with another input. */
    KEY_REUSED,
    /** An earlier attempt may have taken effect. */
    INDETERMINATE,
    /** The operation failed for good, in an earlier call. */
    REJECTED,
    /** The work is done, but its result was not kept. */
    NOT_RETAINED,
    /** The result is kept, but the codec cannot read it. */
    UNREADABLE,
    /** The work was completed in a transaction that was not committed. */
    NOT_COMMITTED,
    /** Another action on the entity is in progress. */
    CLAIM_FAILED,
    /** The step does not start from the status of the entity. */
    WRONG_STATUS,
    /** The lifecycle has no such step for the requester. */
    NOT_ALLOWED,
    /** The janitor of the module must recover the entity first. */
    NEEDS_RECOVERY,
    /** Another holder took over; the work of this holder was not recorded. */
    CLAIM_LOST,
    /** The work is done, but Hapax did not confirm its record in time. */
    UNRECORDED,
    /** The run ended as FAILED. */
    RUN_FAILED,
    /** The run ended as CANCELLED. */
    RUN_CANCELLED,
    /** The run has not ended in time. */
    RUN_NOT_ENDED,
    /** A part of a run failed for good. */
    PART_FAILED,
    /** The token of a hook belongs to another run. */
    HOOK_CONFLICT,
    /** Thrown by work: nothing happened, and it may be tried again. */
    RETRYABLE_FAILURE,
    /** Thrown by work: it failed for good. */
    FINAL_FAILURE,
    /** Thrown by work: the effect may have happened. */
    UNKNOWN_EFFECT,
    /** Thrown by an action: its request was invalid. */
    INVALID
  }

  HapaxException(Kind kind, @Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = Objects.requireNonNull(kind, "kind");
  }

  /** What happened. */
  public final Kind kind() {
    return kind;
  }

  /**
   * The error that Hapax sent, with its reason, metadata and all violations. Its code is UNKNOWN if
   * Hapax sent none.
   */
  public Error error() {
    return getCause() instanceof StatusRuntimeException status
        ? ErrorStatus.read(status)
        : Error.newBuilder()
            .setCode(Status.Code.UNKNOWN.value())
            .setMessage(String.valueOf(getMessage()))
            .build();
  }

  /**
   * No answer in time, or the thread was interrupted, which keeps its flag. The call may have taken
   * effect: repeat it with the same key.
   */
  public static final class Unavailable extends HapaxException {
    Unavailable(InterruptedException cause) {
      super(
          Kind.UNAVAILABLE,
          "interrupted; the call may have taken effect, retry with the same key",
          cause);
    }

    Unavailable(String server, StatusRuntimeException cause) {
      super(
          Kind.UNAVAILABLE,
          "Hapax is unreachable at "
              + server
              + "; the call may have taken effect, retry with the same key",
          cause);
    }
  }

  /** Hapax rejected the call, and changed nothing; it would be rejected again. */
  public static final class Refused extends HapaxException {
    Refused(StatusRuntimeException status) {
      super(Kind.REFUSED, "Hapax rejected the call: " + status.getStatus(), status);
    }

    /** Hapax refused a completion in a transaction. The cause has the SQLSTATE. */
    Refused(String problem, SQLException cause) {
      super(Kind.REFUSED, problem + ": " + cause.getMessage(), cause);
    }

    /** The code and the message of the error. */
    String reasonText() {
      return Status.fromCodeValue(error().getCode())
          .withDescription(error().getMessage())
          .toString();
    }

    /** The reason; UNSPECIFIED if a proxy rejected the call, UNRECOGNIZED if Hapax is newer. */
    public ErrorReason reason() {
      return error().getReason();
    }

    /** Belongs to the reason, such as {@code run_id}. */
    public Map<String, String> metadata() {
      return error().getMetadataMap();
    }
  }

  /** Hapax answered what this client does not know; the call may have taken effect. Upgrade it. */
  public static final class UnknownAnswer extends HapaxException {
    UnknownAnswer(StatusRuntimeException status) {
      super(Kind.UNKNOWN_ANSWER, status.getStatus().getDescription(), status);
    }
  }

  /** Hapax did not accept the API key or JWT. */
  public static final class Unauthenticated extends HapaxException {
    Unauthenticated(StatusRuntimeException status) {
      super(
          Kind.UNAUTHENTICATED,
          "Hapax did not accept the credentials; check the API key or JWT: " + status.getStatus(),
          status);
    }
  }

  /** The caller has no role that permits the call. */
  public static final class PermissionDenied extends HapaxException {
    PermissionDenied(StatusRuntimeException status) {
      super(
          Kind.PERMISSION_DENIED,
          "Hapax denied the call; the caller needs a role that permits it: " + status.getStatus(),
          status);
    }
  }

  /** Another call with this request id is in progress. */
  public static final class InProgress extends HapaxException {
    private final Duration retryAfter;

    InProgress(Duration retryAfter) {
      super(Kind.IN_PROGRESS, "another call with this request id is in progress", null);
      this.retryAfter = retryAfter;
    }

    /** When the other call is replaced at the earliest, if it has died. */
    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /** The request id was used with another input; use a new one. */
  public static final class KeyReused extends HapaxException {
    KeyReused() {
      super(
          Kind.KEY_REUSED,
          "the request id was already used with another request; use a new one",
          null);
    }
  }

  /** An earlier attempt may have taken effect; an operator must resolve the operation. */
  public static final class Indeterminate extends HapaxException {
    Indeterminate() {
      super(
          Kind.INDETERMINATE,
          "an earlier attempt may have taken effect; an operator must resolve the operation",
          null);
    }
  }

  /** The operation failed for good, in an earlier call. */
  public static final class Rejected extends HapaxException {
    private final transient Failure failure;

    Rejected(Failure failure) {
      super(Kind.REJECTED, "the operation failed: " + failure.code() + " " + failure.text(), null);
      this.failure = failure;
    }

    /** How it failed. */
    public Failure failure() {
      return failure;
    }
  }

  /** The work is done, but its result was too large, or had no JSON. */
  public static final class NotRetained extends HapaxException {
    NotRetained() {
      super(Kind.NOT_RETAINED, "the work is done, but its result was not kept", null);
    }
  }

  /** The result is kept, but the codec cannot read it. The cause is what the codec threw. */
  public static final class Unreadable extends HapaxException {
    Unreadable(Throwable cause) {
      super(
          Kind.UNREADABLE,
          "the codec cannot read the recorded result: " + cause.getMessage(),
          cause);
    }
  }

  /** The work was completed in a transaction that was not committed; nothing happened. */
  public static final class NotCommitted extends HapaxException {
    NotCommitted() {
      super(Kind.NOT_COMMITTED, "the transaction that completed the work was not committed", null);
    }
  }

  /** Another action on the entity is in progress. */
  public static final class ClaimFailed extends HapaxException {
    private final String holder;
    private final Duration leaseLeft;

    ClaimFailed(String holder, Duration leaseLeft, String message) {
      super(Kind.CLAIM_FAILED, message, null);
      this.holder = holder;
      this.leaseLeft = leaseLeft;
    }

    /** Who holds the entity. */
    public String holder() {
      return holder;
    }

    /** When the holder can be replaced at the earliest, if it has died. */
    public Duration leaseLeft() {
      return leaseLeft;
    }
  }

  /** The step does not start from the status of the entity. */
  public static final class WrongStatus extends HapaxException {
    private final String status;

    WrongStatus(String status) {
      super(Kind.WRONG_STATUS, "the step does not start from status " + status, null);
      this.status = status;
    }

    /** The status of the entity. */
    public String status() {
      return status;
    }
  }

  /** The lifecycle has no such step for the requester. */
  public static final class NotAllowed extends HapaxException {
    NotAllowed() {
      super(Kind.NOT_ALLOWED, "the lifecycle has no such step for this requester", null);
    }
  }

  /** The lease of the last holder expired; the janitor of the module must recover the entity. */
  public static final class NeedsRecovery extends HapaxException {
    NeedsRecovery() {
      super(
          Kind.NEEDS_RECOVERY,
          "the last holder's lease expired; the module's janitor must recover the entity first",
          null);
    }
  }

  /** Another holder took over; the work of this holder was not recorded. */
  public static final class ClaimLost extends HapaxException {
    private final String reason;

    ClaimLost(String reason, @Nullable Throwable failure) {
      super(Kind.CLAIM_LOST, "the claim is lost: " + reason, failure);
      this.reason = reason;
    }

    /** The name of a ClaimLostReason, such as LEASE_LOST. */
    public String reason() {
      return reason;
    }
  }

  /** The work is done, but Hapax did not confirm its record in time. */
  public static final class Unrecorded extends HapaxException {
    Unrecorded(Throwable cause) {
      super(
          Kind.UNRECORDED,
          "the work is done, but its result may not be recorded: no response from Hapax",
          cause);
    }
  }

  /** The run ended as FAILED. */
  public static final class RunFailed extends HapaxException {
    private final transient Run run;
    private final transient Failure failure;

    RunFailed(Run run, Failure failure) {
      super(
          Kind.RUN_FAILED,
          "run %s failed at step %s: %s %s"
              .formatted(run.id(), run.currentStep(), failure.code(), failure.text()),
          null);
      this.run = run;
      this.failure = failure;
    }

    /** The run. */
    public Run run() {
      return run;
    }

    /** How it failed. */
    public Failure failure() {
      return failure;
    }
  }

  /** The run ended as CANCELLED. */
  public static final class RunCancelled extends HapaxException {
    private final transient Run run;

    RunCancelled(Run run) {
      super(
          Kind.RUN_CANCELLED,
          run.supersededBy().isEmpty()
              ? "run " + run.id() + " was cancelled"
              : "run " + run.id() + " was superseded by " + run.supersededBy(),
          null);
      this.run = run;
    }

    /** The run. */
    public Run run() {
      return run;
    }
  }

  /** The run has not ended in time. */
  public static final class RunNotEnded extends HapaxException {
    private final transient Run run;

    RunNotEnded(Run run) {
      super(Kind.RUN_NOT_ENDED, "run " + run.id() + " has not ended: " + run.status(), null);
      this.run = run;
    }

    /** The run as it was last seen. */
    public Run run() {
      return run;
    }
  }

  /**
   * A part of a code step failed for good. Each later execution gets it, too. The run fails with
   * it, unless the code catches it.
   */
  public static final class PartFailed extends HapaxException {
    private final String part;
    private final transient Failure failure;
    private final int attempts;

    PartFailed(String part, Failure failure, int attempts, @Nullable Throwable cause) {
      super(Kind.PART_FAILED, failure.text(), cause);
      this.part = part;
      this.failure = failure;
      this.attempts = attempts;
    }

    /** The name of the part, with its scope. */
    public String part() {
      return part;
    }

    /** How it failed. */
    public Failure failure() {
      return failure;
    }

    /** How often it was tried. */
    public int attempts() {
      return attempts;
    }
  }

  /** The token of a hook belongs to another run. */
  public static final class HookConflict extends HapaxException {
    private final transient Owner owner;

    HookConflict(Owner owner) {
      super(Kind.HOOK_CONFLICT, "the token belongs to run " + owner.runId(), null);
      this.owner = owner;
    }

    /** The run that owns the token. */
    public Owner owner() {
      return owner;
    }
  }
}
