package dev.hapax.client.operation;

import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Failure;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The outcome of a call with a request id. A lost race is an outcome, not an exception. */
public sealed interface Outcome<T extends @Nullable Object> {

  /**
   * Returns the result of this or another call.
   *
   * @throws OperationException of the type that matches any other outcome
   */
  T orThrow();

  /**
   * This call did the work.
   *
   * @param recorded the result is recorded; false if there was no request id, or Hapax was
   *     unreachable and the policy allows untracked work
   */
  record Executed<T extends @Nullable Object>(T value, boolean recorded) implements Outcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /**
   * Another call did the work; this is its result.
   *
   * @param overtaken this call did the work too, but lost its claim before it was recorded
   */
  record Replayed<T extends @Nullable Object>(T value, Instant completedAt, boolean overtaken)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /**
   * Another call failed for good; this is its failure.
   *
   * @param overtaken as in {@link Replayed}
   */
  record Rejected<T extends @Nullable Object>(
      Failure failure, Instant completedAt, boolean overtaken) implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.Rejected(failure);
    }
  }

  /**
   * Another call did the work, but its result was too large, or rejected by Hapax, and not kept.
   */
  record NotRetained<T extends @Nullable Object>(Instant completedAt) implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.NotRetained();
    }
  }

  /**
   * Another call does the work now.
   *
   * @param attempt 1 for the first
   * @param retryAfter the delay before a retry
   */
  record InProgress<T extends @Nullable Object>(Instant startedAt, int attempt, Duration retryAfter)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.InProgress(retryAfter);
    }
  }

  /** The request id was used with another fingerprint. Nothing was done. */
  record KeyReused<T extends @Nullable Object>() implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.KeyReused();
    }
  }

  /** An earlier attempt may have taken effect; an operator or its holder must resolve it. */
  record Indeterminate<T extends @Nullable Object>(Instant startedAt, int attempt)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.Indeterminate();
    }
  }

  /**
   * This call did the work, but another attempt took its claim and has not ended yet: this work is
   * not recorded. Retry to get the outcome of the other.
   *
   * @param failure the exception of the work, if it failed
   */
  record ClaimLost<T extends @Nullable Object>(ClaimLostReason reason, @Nullable Throwable failure)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.ClaimLost(reason, failure);
    }
  }

  /**
   * This call did the work, but its result may not be recorded. If it is not, the work may run
   * again when the lease expires.
   */
  record Unrecorded<T extends @Nullable Object>(T value, StatusRuntimeException cause)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.Unrecorded(cause);
    }
  }
}
