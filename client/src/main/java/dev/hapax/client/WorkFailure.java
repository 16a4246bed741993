package dev.hapax.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A failure that carries its kind. Thrown by work. */
public class WorkFailure extends HapaxException {

  private final FailureKind kind;
  private final String code;

  /**
   * A failure of this kind.
   *
   * @param code for programs, such as {@code CARD_DECLINED}; cut after 255 characters
   * @param message for people; cut after 4 KiB
   */
  public WorkFailure(FailureKind kind, String code, String message, @Nullable Throwable cause) {
    super(
        Kind.valueOf(kind == FailureKind.UNKNOWN_EFFECT ? "UNKNOWN_EFFECT" : kind + "_FAILURE"),
        message,
        cause);
    this.kind = Objects.requireNonNull(kind, "kind");
    this.code = Objects.requireNonNull(code, "code");
  }

  /** Returns the failure that decides, which may be a cause; null if there is none. */
  static @Nullable WorkFailure in(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof WorkFailure declared) {
        return declared;
      }
    }
    return null;
  }

  /** A final failure: every duplicate gets it. */
  public static WorkFailure forGood(String code, String message) {
    return new WorkFailure(FailureKind.FINAL, code, message, null);
  }

  /** A failure whose effect may have happened: the key stays blocked until it is resolved. */
  public static WorkFailure unknownEffect(String code, String message) {
    return new WorkFailure(FailureKind.UNKNOWN_EFFECT, code, message, null);
  }

  /** A failure without effect: the key is free again. */
  public static WorkFailure retryable(String code, String message) {
    return new WorkFailure(FailureKind.RETRYABLE, code, message, null);
  }

  /** The meaning of the failure for the key. */
  public FailureKind failureKind() {
    return kind;
  }

  /** The code, for programs. */
  public String code() {
    return code;
  }
}
