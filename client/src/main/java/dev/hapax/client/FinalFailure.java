package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** Thrown by work that failed for good: it is not attempted again. */
public final class FinalFailure extends WorkFailure {

  /**
   * A failure for good.
   *
   * @param code for programs, such as {@code CARD_DECLINED}; more than 255 characters are cut
   * @param message for people; more than 4 KiB are cut
   */
  public FinalFailure(String code, String message) {
    this(code, message, null);
  }

  /** As {@link #FinalFailure(String, String)}, with what it comes from. */
  public FinalFailure(String code, String message, @Nullable Throwable cause) {
    super(FailureKind.FINAL, code, message, cause);
  }
}
