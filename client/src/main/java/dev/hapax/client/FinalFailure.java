package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** A final failure of the work, which is not retried. */
public final class FinalFailure extends WorkFailure {

  /**
   * A final failure.
   *
   * @param code for programs, such as {@code CARD_DECLINED}; cut after 255 characters
   * @param message for people; cut after 4 KiB
   */
  public FinalFailure(String code, String message) {
    this(code, message, null);
  }

  /** As {@link #FinalFailure(String, String)}, with a cause. */
  public FinalFailure(String code, String message, @Nullable Throwable cause) {
    super(FailureKind.FINAL, code, message, cause);
  }
}
