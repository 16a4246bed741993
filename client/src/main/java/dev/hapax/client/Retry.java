package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.RetryPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * The retries of a part or a step. A failed attempt is followed by another one after a random delay
 * between 0 and {@code min(max, initial * factor^(attempt - 1))}. Hapax counts the attempts. Those
 * of a part do not use up those of the step. Immutable: every method returns a copy. A changed
 * policy applies from the next failure on.
 */
public final class Retry {

  private static final Duration DAY = Duration.ofHours(24);
  private static final int MAX_ATTEMPTS = 1_000;
  private static final int MAX_CODES = 100;
  private static final int UNLIMITED = -1;

  private final RetryPolicy message;

  private Retry(RetryPolicy.Builder message) {
    this.message = message.build();
  }

  /** At most this many attempts. 1 to 1,000. */
  public static Retry attempts(int attempts) {
    return new Retry(
        RetryPolicy.newBuilder()
            .setMaxAttempts(Ranges.within("attempts", attempts, 1, MAX_ATTEMPTS)));
  }

  /**
   * Attempts without a limit, except that the run may have 50,000 events. Combine it with {@link
   * #giveUpAfter}.
   */
  public static Retry unlimited() {
    return new Retry(RetryPolicy.newBuilder().setMaxAttempts(UNLIMITED));
  }

  /**
   * Sets the delays.
   *
   * @param initial the longest delay of the first retry. More than 0, at most 24 h; default 1 s
   * @param factor the growth of the delay per attempt. 1 to 100; default 2
   * @param max the longest delay of any retry. More than 0, at most 24 h; default 60 s
   */
  public Retry backoff(Duration initial, double factor, Duration max) {
    if (!(factor >= 1 && factor <= 100)) {
      throw new IllegalArgumentException("factor must be between 1 and 100 (was " + factor + ")");
    }
    return new Retry(
        message.toBuilder()
            .setInitial(ProtoTimes.toProto(delay("initial", initial)))
            .setFactor(factor)
            .setMax(ProtoTimes.toProto(delay("max", max))));
  }

  private static Duration delay(String name, Duration delay) {
    return Ranges.within(name, delay, Duration.ofNanos(1), DAY);
  }

  /**
   * Sets the failure codes that are final. An exception without a code has its class name. At most
   * 100, each at most 255 characters; default none.
   */
  public Retry never(String... codes) {
    return new Retry(message.toBuilder().clearNonRetryable().addAllNonRetryable(checked(codes)));
  }

  /**
   * Sets the only failure codes that are retried. At most 100, each at most 255 characters; default
   * all.
   */
  public Retry only(String... codes) {
    return new Retry(message.toBuilder().clearRetryOnly().addAllRetryOnly(checked(codes)));
  }

  private static List<String> checked(String... codes) {
    Ranges.within("number of codes", codes.length, 0, MAX_CODES);
    return Arrays.asList(codes);
  }

  /**
   * Sets the time after the first failure, after which no further attempt begins. More than 0, at
   * most 365 days; default no limit.
   */
  public Retry giveUpAfter(Duration time) {
    Ranges.within("giveUpAfter", time, Duration.ofNanos(1), Duration.ofDays(365));
    return new Retry(message.toBuilder().setGiveUpAfter(ProtoTimes.toProto(time)));
  }

  RetryPolicy toProto() {
    return message;
  }
}
