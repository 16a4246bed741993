package dev.hapax.client.operation;

import dev.hapax.client.internal.KeyText;
import java.time.Duration;
import java.util.Objects;

/**
 * The idempotency settings of one gRPC method or HTTP handler.
 *
 * @param keyRequired reject calls without a key. Otherwise they run, and nothing is recorded
 * @param operation the operation that the key belongs to; empty = the full method name, of HTTP the
 *     method and the path
 */
public record IdempotencyRule(OperationPolicy policy, boolean keyRequired, String operation) {

  /** The default policy, an optional key, the full method name. */
  public static final IdempotencyRule DEFAULT =
      new IdempotencyRule(OperationPolicy.DEFAULT, false, "");

  /** Checks the limits. */
  public IdempotencyRule {
    Objects.requireNonNull(policy, "policy");
    KeyText.check("operation", operation);
  }

  /** Returns a copy with another {@link #policy}. */
  public IdempotencyRule withPolicy(OperationPolicy policy) {
    return new IdempotencyRule(policy, keyRequired, operation);
  }

  /** Returns a copy with another {@link #keyRequired}. */
  public IdempotencyRule withKeyRequired(boolean keyRequired) {
    return new IdempotencyRule(policy, keyRequired, operation);
  }

  /** Returns a copy with another {@link #operation}. */
  public IdempotencyRule withOperation(String operation) {
    return new IdempotencyRule(policy, keyRequired, operation);
  }

  static IdempotencyRule of(Idempotent annotation) {
    OperationPolicy policy =
        OperationPolicy.DEFAULT
            .withAccountChanging(annotation.accountChanging())
            .withFailOpen(annotation.failOpen())
            .withOnStale(annotation.onStale());
    if (annotation.leaseMillis() != 0) {
      policy = policy.withLease(Duration.ofMillis(annotation.leaseMillis()));
    }
    if (annotation.ttlMillis() != 0) {
      policy = policy.withTtl(Duration.ofMillis(annotation.ttlMillis()));
    }
    if (annotation.maxWaitMillis() != 0) {
      policy = policy.withMaxWait(Duration.ofMillis(annotation.maxWaitMillis()));
    }
    return new IdempotencyRule(policy, annotation.keyRequired(), annotation.operation());
  }
}
