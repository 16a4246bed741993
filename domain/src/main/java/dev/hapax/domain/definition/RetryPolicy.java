package dev.hapax.domain.definition;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The retry policy of a step or part: exponential backoff with full jitter (<a
 * href="https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/">AWS</a>).
 *
 * @param maxAttempts the largest number of attempts, including the first; {@link #UNLIMITED} = any
 * @param initial the longest pause after the first attempt
 * @param factor by which the longest pause grows after each attempt
 * @param max the upper limit of the longest pause
 * @param nonRetryable failure codes that are not retried
 * @param retryOnly the only failure codes that are retried; empty = all
 * @param giveUpAfter the time since the first failure after which no attempt follows; empty = any
 */
public record RetryPolicy(
    int maxAttempts,
    Duration initial,
    double factor,
    Duration max,
    Set<String> nonRetryable,
    Set<String> retryOnly,
    Optional<Duration> giveUpAfter) {
  public static final int MAX_ATTEMPTS = 1_000;
  public static final int UNLIMITED = -1;
  public static final double MAX_FACTOR = 100;
  public static final int MAX_CODES = 100;
  public static final Duration MAX_PAUSE = Duration.ofHours(24);
  public static final Duration MAX_GIVE_UP = Duration.ofDays(365);
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofMinutes(5), Set.of());

  /** The policy of parts of a step that defines none. */
  public static final RetryPolicy OF_PARTS =
      new RetryPolicy(8, Duration.ofSeconds(1), 2, Duration.ofSeconds(60), Set.of());

  public RetryPolicy {
    requireAttempts(maxAttempts);
    requirePause(initial);
    requireFactor(factor);
    requirePause(max);
    nonRetryable = requireCodes(nonRetryable);
    retryOnly = requireCodes(retryOnly);
    giveUpAfter.ifPresent(RetryPolicy::requireGiveUp);
  }

  /** A policy that retries every other failure, for any time. */
  public RetryPolicy(
      int maxAttempts, Duration initial, double factor, Duration max, Set<String> nonRetryable) {
    this(maxAttempts, initial, factor, max, nonRetryable, Set.of(), Optional.empty());
  }

  public static int requireAttempts(int attempts) {
    if (attempts != UNLIMITED && (attempts < 1 || attempts > MAX_ATTEMPTS)) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "must be between 1 and %,d, or -1 (no limit)", MAX_ATTEMPTS));
    }
    return attempts;
  }

  public static Duration requirePause(Duration pause) {
    if (!pause.isPositive() || pause.compareTo(MAX_PAUSE) > 0) {
      throw new InvalidValueException("must be more than 0 and at most 24 h");
    }
    return pause;
  }

  public static double requireFactor(double factor) {
    // also rejects NaN
    if (!(factor >= 1 && factor <= MAX_FACTOR)) {
      throw new InvalidValueException("must be between 1 and 100");
    }
    return factor;
  }

  public static Duration requireGiveUp(Duration time) {
    if (!time.isPositive() || time.compareTo(MAX_GIVE_UP) > 0) {
      throw new InvalidValueException("must be more than 0 and at most 365 days");
    }
    return time;
  }

  public static Set<String> requireCodes(Set<String> codes) {
    if (codes.size() > MAX_CODES) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "has more than %d codes", MAX_CODES));
    }
    codes.forEach(Text::requiredName);
    return Set.copyOf(codes);
  }

  public boolean allowsRetryOf(Failure failure) {
    return !nonRetryable.contains(failure.code())
        && (retryOnly.isEmpty() || retryOnly.contains(failure.code()));
  }

  /** Whether a server that does not know parts could not read it, or would read another one. */
  public boolean needsParts() {
    return maxAttempts == UNLIMITED || maxAttempts > 20 || !retryOnly.isEmpty();
  }

  /** The number of the last attempt if this many were made before the budget began. */
  public int lastAttempt(int before) {
    return maxAttempts == UNLIMITED
        ? Integer.MAX_VALUE
        : (int) Math.min(Integer.MAX_VALUE, (long) before + maxAttempts);
  }

  /**
   * The backoff after a failed attempt.
   *
   * @param attempt the number of the failed attempt, from 1
   * @param jitter random, from [0, 1)
   */
  public Duration backoff(int attempt, double jitter) {
    var longest =
        Math.min((double) max.toNanos(), initial.toNanos() * Math.pow(factor, attempt - 1));
    return Duration.ofNanos((long) (longest * jitter));
  }
}
