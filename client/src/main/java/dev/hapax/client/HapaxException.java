package dev.hapax.client;

import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The root of every exception that this client defines. */
public abstract class HapaxException extends RuntimeException {

  /** For the exceptions of the client's packages, and for {@link WorkFailure}. */
  protected HapaxException(@Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * The error of the call: its code, message, reason and details. The reason is {@code
   * ERROR_REASON_UNSPECIFIED} if the error is not from Hapax but from a proxy, the network or this
   * client, and {@code UNRECOGNIZED} if this client is older than the reason.
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
   * Hapax was unreachable for too long, or the thread was interrupted. The call may have taken
   * effect; the same call with the same key is safe to repeat.
   */
  public static final class Unavailable extends HapaxException {

    /**
     * @param cause the last error, or the interrupt
     */
    public Unavailable(Throwable cause) {
      super("Hapax is unreachable; the call may have taken effect, retry with the same key", cause);
    }
  }

  /** Hapax rejected the call and changed nothing; the same call would be rejected again. */
  public static final class Refused extends HapaxException {
    private final transient StatusRuntimeException status;

    /**
     * @param status the response of Hapax
     */
    public Refused(StatusRuntimeException status) {
      super("Hapax rejected the call: " + status.getStatus(), status);
      this.status = status;
    }

    /** The response of Hapax. */
    public StatusRuntimeException status() {
      return status;
    }

    /** Why, such as RUN_NOT_FOUND; see {@link #error}. */
    public ErrorReason reason() {
      return error().getReason();
    }

    /** The details of the reason, such as {@code run_id}; {@link ErrorReason} names them. */
    public Map<String, String> metadata() {
      return error().getMetadataMap();
    }
  }

  /**
   * Hapax is newer than this client, and answered what it does not know. The call may have taken
   * effect. Upgrade the client.
   */
  public static final class UnknownAnswer extends HapaxException {
    /**
     * @param status names what is unknown
     */
    public UnknownAnswer(StatusRuntimeException status) {
      super(status.getStatus().getDescription(), status);
    }
  }

  /**
   * Hapax did not accept the credentials: the API key or JWT is missing, unknown, expired or
   * revoked. The call changed nothing. It succeeds when the key or token is replaced, see {@link
   * HapaxChannel#withApiKeyFile} and {@link HapaxChannel#withJwtFile}.
   */
  public static final class Unauthenticated extends HapaxException {
    /**
     * @param status the response of Hapax
     */
    public Unauthenticated(StatusRuntimeException status) {
      super(
          "Hapax did not accept the credentials; check the API key or JWT: " + status.getStatus(),
          status);
    }
  }

  /**
   * Hapax knows the caller, which has no role for this call in this workspace. The call changed
   * nothing.
   */
  public static final class PermissionDenied extends HapaxException {
    /**
     * @param status the response of Hapax
     */
    public PermissionDenied(StatusRuntimeException status) {
      super(
          "Hapax denied the call; the caller needs a role that permits it: " + status.getStatus(),
          status);
    }
  }
}
