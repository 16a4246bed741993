package dev.hapax.client;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What came of an operation. A failure of the work is thrown.
 *
 * @param <T> the result of the work
 */
public sealed interface OnceOutcome<T extends @Nullable Object> {

  /** Returns the result, or throws the exception of the outcome. */
  T orThrow();

  /**
   * This call did the work.
   *
   * @param isRecorded false = the work ran untracked
   */
  record Done<T extends @Nullable Object>(T value, boolean isRecorded) implements OnceOutcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /**
   * An earlier call did the work.
   *
   * @param isOvertaken whether this call did the work, too, after it had lost its claim
   */
  record Replayed<T extends @Nullable Object>(T value, Instant completedAt, boolean isOvertaken)
      implements OnceOutcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /** The operation failed for good, in an earlier call. */
  record Rejected<T extends @Nullable Object>(
      Failure failure, Instant completedAt, boolean isOvertaken) implements OnceOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.Rejected(failure);
    }
  }

  /** The work is done, but its result was too large, or had no JSON. */
  record NotRetained<T extends @Nullable Object>(Instant completedAt) implements OnceOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.NotRetained();
    }
  }

  /**
   * Another call is in progress.
   *
   * @param retryAfter when it is replaced at the earliest, if it has died
   */
  record InProgress<T extends @Nullable Object>(Instant startedAt, int attempt, Duration retryAfter)
      implements OnceOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.InProgress(retryAfter);
    }
  }

  /** The request id was used with another input. */
  record KeyReused<T extends @Nullable Object>() implements OnceOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.KeyReused();
    }
  }

  /** An earlier attempt may have taken effect; an operator must resolve the operation. */
  record Indeterminate<T extends @Nullable Object>(Instant startedAt, int attempt)
      implements OnceOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.Indeterminate();
    }
  }

  /**
   * Another holder took over; the work of this call was not recorded.
   *
   * @param reason the name of a ClaimLostReason, such as LEASE_LOST
   * @param failure what the work threw
   */
  record ClaimLost<T extends @Nullable Object>(String reason, @Nullable Throwable failure)
      implements OnceOutcome<T>, ActOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.ClaimLost(reason, failure);
    }
  }

  /** The work is done, but Hapax did not confirm its record in time. */
  record Unrecorded<T extends @Nullable Object>(T value, HapaxException cause)
      implements OnceOutcome<T>, ActOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.Unrecorded(cause);
    }
  }
}
