package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by work whose effect may have happened. Duplicates are rejected until an operator resolves
 * the operation.
 */
public final class UnknownEffect extends WorkFailure {

  /**
   * A failure with an unknown effect.
   *
   * @param code for programs, such as {@code BANK_SILENT}; cut after 255 characters
   * @param message for people; cut after 4 KiB
   */
  public UnknownEffect(String code, String message) {
    this(code, message, null);
  }

  /** As {@link #UnknownEffect(String, String)}, with a cause. */
  public UnknownEffect(String code, String message, @Nullable Throwable cause) {
    super(FailureKind.UNKNOWN_EFFECT, code, message, cause);
  }
}
