package dev.hapax.client.run;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lease and the retries of a step. A failed attempt is followed by another one after a random
 * delay between 0 and {@code min(max, initial * factor^(attempt - 1))}, or by the end of the run.
 * Start from {@link #DEFAULT}.
 *
 * @param lease how long the step stays with a worker without heartbeats, which workers send at a
 *     third of it. 100 ms to 24 h; null = the server's default, 30 s
 * @param maxAttempts the number of attempts, including lost leases. 1 to 20, default 3
 * @param initial the longest delay of the first retry. More than 0, at most 24 h; default 1 s
 * @param factor the growth of the delay per attempt. 1 to 100, default 2
 * @param max the longest delay of any retry. More than 0, at most 24 h; default 5 min
 * @param nonRetryable failure codes that are always final; an exception without a code has its
 *     class name. At most 100, each at most 255 characters; default none
 */
public record StepPolicy(
    @Nullable Duration lease,
    int maxAttempts,
    Duration initial,
    double factor,
    Duration max,
    List<String> nonRetryable) {

  private static final Duration DAY = Duration.ofHours(24);

  /** The defaults named above. */
  public static final StepPolicy DEFAULT =
      new StepPolicy(null, 3, Duration.ofSeconds(1), 2, Duration.ofMinutes(5), List.of());

  /** Checks the limits. */
  public StepPolicy {
    if (lease != null) {
      Limits.within("lease", lease, Duration.ofMillis(100), DAY);
    }
    Limits.within("maxAttempts", maxAttempts, 1, 20);
    Limits.within("initial", initial, Duration.ofNanos(1), DAY);
    if (!(factor >= 1 && factor <= 100)) {
      throw new IllegalArgumentException("factor must be between 1 and 100 (was " + factor + ")");
    }
    Limits.within("max", max, Duration.ofNanos(1), DAY);
    nonRetryable = List.copyOf(nonRetryable);
    Limits.within("nonRetryable", nonRetryable.size(), 0, 100);
  }

  /** Returns a copy with another {@link #lease}. */
  public StepPolicy withLease(Duration lease) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, nonRetryable);
  }

  /** Returns a copy with another {@link #maxAttempts}. */
  public StepPolicy withMaxAttempts(int maxAttempts) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, nonRetryable);
  }

  /** Returns a copy with other retry delays. */
  public StepPolicy withBackoff(Duration initial, double factor, Duration max) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, nonRetryable);
  }

  /** Returns a copy with other {@link #nonRetryable} codes. */
  public StepPolicy withNonRetryable(String... codes) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, List.of(codes));
  }

  /** The differences to the defaults; other fields stay unset. */
  RetryPolicy retry() {
    RetryPolicy.Builder retry = RetryPolicy.newBuilder().addAllNonRetryable(nonRetryable);
    if (maxAttempts != DEFAULT.maxAttempts) {
      retry.setMaxAttempts(maxAttempts);
    }
    if (!initial.equals(DEFAULT.initial)) {
      retry.setInitial(ProtoTimes.toProto(initial));
    }
    if (factor != DEFAULT.factor) {
      retry.setFactor(factor);
    }
    if (!max.equals(DEFAULT.max)) {
      retry.setMax(ProtoTimes.toProto(max));
    }
    return retry.build();
  }
}
