package dev.hapax.client;

import com.google.rpc.ErrorInfo;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Run;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What calls about runs, entities and their definitions throw. */
public abstract sealed class HapaxException extends RuntimeException
    permits RunFailedException,
        RunCancelledException,
        HapaxException.NotEnded,
        HapaxException.Unavailable,
        HapaxException.Refused {

  HapaxException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The run had not ended when the wait was over. It goes on; wait again. */
  public static final class NotEnded extends HapaxException {
    private final transient Run run;

    NotEnded(Run run) {
      super("run " + run.getId() + " has not ended: " + run.getStatus(), null);
      this.run = run;
    }

    /** As it was when the wait was over. */
    public Run run() {
      return run;
    }
  }

  /**
   * Hapax could not be reached in time, or the thread was interrupted. Whether the call took effect
   * is not known; the same call with the same key may be made again.
   */
  public static final class Unavailable extends HapaxException {
    Unavailable(Throwable cause) {
      super("Hapax cannot be reached; whether the call took effect is not known", cause);
    }
  }

  /** Hapax refused the call; the same again would be refused again. Nothing was changed. */
  public static final class Refused extends HapaxException {
    private final transient StatusRuntimeException status;

    Refused(StatusRuntimeException status) {
      super("Hapax refused the call: " + status.getStatus(), status);
      this.status = status;
    }

    /** What Hapax answered. */
    public StatusRuntimeException status() {
      return status;
    }

    /**
     * Why, such as RUN_NOT_FOUND. {@code ERROR_REASON_UNSPECIFIED} if it was not Hapax that spoke,
     * {@code UNRECOGNIZED} if this client is older than the reason.
     */
    public ErrorReason reason() {
      Optional<ErrorInfo> info = info();
      if (info.isEmpty()) {
        return ErrorReason.ERROR_REASON_UNSPECIFIED;
      }
      String name = "ERROR_REASON_" + info.get().getReason();
      return Arrays.stream(ErrorReason.values())
          .filter(reason -> reason.name().equals(name))
          .findFirst()
          .orElse(ErrorReason.UNRECOGNIZED);
    }

    /** What belongs to the reason, such as {@code run_id}; {@link ErrorReason} names it. */
    public Map<String, String> metadata() {
      return info().map(ErrorInfo::getMetadataMap).orElse(Map.of());
    }

    /** The same would be refused in every execution of the work that asked. */
    FinalFailure asFinalFailure(String what) {
      return new FinalFailure(
          reason().name().replace("ERROR_REASON_", ""), what + ": " + status.getStatus(), this);
    }

    private Optional<ErrorInfo> info() {
      return Backoff.detail(status, ErrorInfo.class);
    }
  }
}
