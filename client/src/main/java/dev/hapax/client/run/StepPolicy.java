package dev.hapax.client.run;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long a worker may be silent about a step, and what follows an attempt that failed: another
 * one, after a random time between 0 and {@code min(max, initial * factor^(attempt - 1))}, or the
 * end of the run. Start from {@link #DEFAULT} and change what differs.
 *
 * @param lease how long a silent worker keeps the step; workers renew it at a third. 100 ms to 24
 *     h; null = the server's default, 30 s
 * @param maxAttempts how many attempts there are, lost leases among them. 1 to 20, default 3
 * @param initial the most the first retry waits. More than 0, at most 24 h; default 1 s
 * @param factor by how much that grows with each attempt. 1 to 100, default 2
 * @param max the most any retry waits. More than 0, at most 24 h; default 5 min
 * @param nonRetryable codes of failures that are final whatever the worker says; an exception that
 *     names none has that of its class. At most 100, each at most 255 characters; default none
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
      throw new IllegalArgumentException("factor is " + factor + ", not between 1 and 100");
    }
    Limits.within("max", max, Duration.ofNanos(1), DAY);
    nonRetryable = List.copyOf(nonRetryable);
    Limits.within("nonRetryable", nonRetryable.size(), 0, 100);
  }

  /** With another {@link #lease}. */
  public StepPolicy withLease(Duration lease) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, nonRetryable);
  }

  /** With another {@link #maxAttempts}. */
  public StepPolicy withMaxAttempts(int maxAttempts) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, nonRetryable);
  }

  /** With other pauses between attempts. */
  public StepPolicy withBackoff(Duration initial, double factor, Duration max) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, nonRetryable);
  }

  /** With other {@link #nonRetryable} codes. */
  public StepPolicy withNonRetryable(String... codes) {
    return new StepPolicy(lease, maxAttempts, initial, factor, max, List.of(codes));
  }

  /** What differs from the defaults; what does not stays unset. */
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
