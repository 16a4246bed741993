package dev.hapax.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure that carries its kind. Thrown by work; the {@link FailureClassifier} does not apply to
 * it.
 */
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
    super(message, cause);
    this.kind = Objects.requireNonNull(kind, "kind");
    this.code = Objects.requireNonNull(code, "code");
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
  public FailureKind kind() {
    return kind;
  }

  /** The code, for programs. */
  public String code() {
    return code;
  }
}
