package dev.hapax.client;

import dev.hapax.client.internal.Ranges;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A failure of the work that is retried while the policy of its step has attempts left. */
public final class RetryableFailure extends WorkFailure {

  private final @Nullable Duration retryAfter;

  /**
   * A failure that is retried when the policy of the step says.
   *
   * @param code for programs, such as {@code BANK_CLOSED}; cut after 255 characters
   * @param message for people; cut after 4 KiB
   */
  public RetryableFailure(String code, String message) {
    super(FailureKind.RETRYABLE, code, message, null);
    this.retryAfter = null;
  }

  /**
   * A failure with its own retry delay. Tasks use the delay, operations ignore it.
   *
   * @param retryAfter more than 0, at most 30 days
   */
  public RetryableFailure(String code, String message, Duration retryAfter) {
    super(FailureKind.RETRYABLE, code, message, null);
    this.retryAfter =
        Ranges.within("retryAfter", retryAfter, Duration.ofNanos(1), Duration.ofDays(30));
  }

  /** The delay before the retry. Empty = the delay of the policy. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
