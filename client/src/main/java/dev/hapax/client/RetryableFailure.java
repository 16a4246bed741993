package dev.hapax.client;

import dev.hapax.client.internal.Limits;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Thrown by work that may be attempted again, while the policy of its step has attempts left. */
public final class RetryableFailure extends WorkFailure {

  private final @Nullable Duration retryAfter;

  /**
   * A failure after which the policy says when to try again.
   *
   * @param code for programs, such as {@code BANK_CLOSED}; more than 255 characters are cut
   * @param message for people; more than 4 KiB are cut
   */
  public RetryableFailure(String code, String message) {
    super(FailureKind.RETRYABLE, code, message, null);
    this.retryAfter = null;
  }

  /**
   * A failure that says itself when to try again. An operation does not heed that, only a task.
   *
   * @param retryAfter more than 0, at most 30 days
   */
  public RetryableFailure(String code, String message, Duration retryAfter) {
    super(FailureKind.RETRYABLE, code, message, null);
    this.retryAfter =
        Limits.within("retryAfter", retryAfter, Duration.ofNanos(1), Duration.ofDays(30));
  }

  /** When to try again. Empty = as the policy says. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
