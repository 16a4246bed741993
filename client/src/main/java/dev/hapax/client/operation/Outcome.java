package dev.hapax.client.operation;

import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Failure;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a call with a request id ended. To lose a race is one of the answers, not an exception. */
public sealed interface Outcome<T extends @Nullable Object> {

  /**
   * The result, whoever produced it.
   *
   * @throws OperationException of the kind that matches any other outcome
   */
  T orThrow();

  /**
   * This call did the work.
   *
   * @param recorded the answer is stored; false if there was no request id, or Hapax could not be
   *     reached and the policy lets the work run anyway
   */
  record Executed<T extends @Nullable Object>(T value, boolean recorded) implements Outcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /**
   * Another call did the work; this is its answer.
   *
   * @param overtaken this call did the work too, but lost its claim on the way: what it did was not
   *     recorded
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

  /** Another call did the work, but its answer was too large, or refused by Hapax, and not kept. */
  record NotRetained<T extends @Nullable Object>(Instant completedAt) implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.NotRetained();
    }
  }

  /**
   * Another call does the work right now.
   *
   * @param attempt 1 for the first
   * @param retryAfter when asking again is worth it
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

  /** A former attempt may or may not have done it; an operator or its holder has to say. */
  record Indeterminate<T extends @Nullable Object>(Instant startedAt, int attempt)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.Indeterminate();
    }
  }

  /**
   * This call did the work, but another attempt took its claim and has not ended yet: what was done
   * here was not recorded. Asking again tells how the other ends.
   *
   * @param failure what the work threw, if it did
   */
  record ClaimLost<T extends @Nullable Object>(ClaimLostReason reason, @Nullable Throwable failure)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.ClaimLost(reason, failure);
    }
  }

  /**
   * This call did the work, but could not find out whether its result was stored. If it was not,
   * the work may run again when the lease is over.
   */
  record Unrecorded<T extends @Nullable Object>(T value, StatusRuntimeException cause)
      implements Outcome<T> {
    @Override
    public T orThrow() {
      throw new OperationException.Unrecorded(cause);
    }
  }
}
