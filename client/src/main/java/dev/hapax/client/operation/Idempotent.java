package dev.hapax.client.operation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a method of a gRPC service implementation: requests with the same {@code idempotency-key} run
 * it once. It counts for services bound with {@link IdempotencyInterceptor.Builder#protect}, and
 * only for unary methods; on a streaming one it is refused there.
 *
 * <p>What is left at 0 is as in {@link OperationPolicy#DEFAULT}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Idempotent {

  /** Refuse calls without a key. Otherwise they run, and nothing is remembered. */
  boolean keyRequired() default false;

  /**
   * See {@link OperationPolicy#accountChanging}; report it with {@link
   * RunningOperation#accountAfter}.
   */
  boolean accountChanging() default false;

  /**
   * Run even if Hapax cannot be reached for 1 s: the call may then run twice. Otherwise it is
   * refused with {@code UNAVAILABLE}.
   */
  boolean failOpen() default false;

  /** See {@link OperationPolicy#onStale}. */
  OnStale onStale() default OnStale.TAKE_OVER;

  /** See {@link OperationPolicy#lease}: 100 ms to 24 h. */
  long leaseMillis() default 0;

  /** See {@link OperationPolicy#ttl}: at most 30 days. */
  long ttlMillis() default 0;

  /** See {@link OperationPolicy#maxWait}: at most 30 s. */
  long maxWaitMillis() default 0;

  /** What the key belongs to. Empty = the full method name, {@code orders.v1.Orders/Place}. */
  String operation() default "";
}
