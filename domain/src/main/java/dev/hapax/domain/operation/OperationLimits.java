package dev.hapax.domain.operation;

import dev.hapax.domain.InvalidValueException;
import java.time.Duration;

/** For how long the answer of an operation may be kept. */
public final class OperationLimits {
  public static final Duration DEFAULT_TTL = Duration.ofHours(24);
  public static final Duration MAX_TTL = Duration.ofDays(30);

  private OperationLimits() {}

  /** Returns the time to live if it is within the limits. */
  public static Duration checkedTtl(Duration ttl) {
    if (!ttl.isPositive() || ttl.compareTo(MAX_TTL) > 0) {
      throw new InvalidValueException("must be more than 0 and at most 30 days");
    }
    return ttl;
  }
}
