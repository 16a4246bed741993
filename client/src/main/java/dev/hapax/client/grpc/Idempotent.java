package dev.hapax.client.grpc;

import dev.hapax.client.Claim;
import dev.hapax.client.Operation;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a gRPC service implementation idempotent: requests with the same {@code
 * idempotency-key} run it once. Applies to services bound with {@link
 * IdempotencyInterceptor.Builder#protect}, which rejects it on streaming methods.
 *
 * <p>A value of 0 means the default of {@link Operation}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Idempotent {

  /** Reject calls without a key. Otherwise they run, and nothing is recorded. */
  boolean keyRequired() default false;

  /** See {@link Operation#accountChanging}; report it with {@link Claim#accountAfter}. */
  boolean accountChanging() default false;

  /**
   * Run even if Hapax is unreachable for 1 s: the call may then run twice. Otherwise it fails with
   * {@code UNAVAILABLE}.
   */
  boolean failOpen() default false;

  /** See {@link Operation#onStale}. */
  Operation.OnStale onStale() default Operation.OnStale.TAKE_OVER;

  /** See {@link Operation#lease}: 100 ms to 24 h. */
  long leaseMillis() default 0;

  /** See {@link Operation#ttl}: at most 30 days. */
  long ttlMillis() default 0;

  /** See {@link Operation#wait}: at most 30 s. */
  long maxWaitMillis() default 0;

  /**
   * The operation that the key belongs to. Empty = the full method name, {@code
   * orders.v1.Orders/Place}.
   */
  String operation() default "";
}
