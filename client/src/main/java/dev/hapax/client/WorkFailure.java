package dev.hapax.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Thrown by work to say how it failed, whatever the {@link FailureClassifier} would say. */
public class WorkFailure extends HapaxException {

  private final FailureKind kind;
  private final String code;

  /**
   * A failure with its meaning.
   *
   * @param code for programs, such as {@code CARD_DECLINED}; more than 255 characters are cut
   * @param message for people; more than 4 KiB are cut
   */
  public WorkFailure(FailureKind kind, String code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = Objects.requireNonNull(kind, "kind");
    this.code = Objects.requireNonNull(code, "code");
  }

  /** It failed for good: every duplicate gets this failure. */
  public static WorkFailure forGood(String code, String message) {
    return new WorkFailure(FailureKind.FINAL, code, message, null);
  }

  /** Nobody knows whether the effect happened: the key waits to be resolved. */
  public static WorkFailure unknownEffect(String code, String message) {
    return new WorkFailure(FailureKind.UNKNOWN_EFFECT, code, message, null);
  }

  /** Nothing happened: the key is free again. */
  public static WorkFailure retryable(String code, String message) {
    return new WorkFailure(FailureKind.RETRYABLE, code, message, null);
  }

  /** What it says about the work. */
  public FailureKind kind() {
    return kind;
  }

  /** For programs. */
  public String code() {
    return code;
  }
}
