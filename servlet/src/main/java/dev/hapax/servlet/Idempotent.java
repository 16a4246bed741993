package dev.hapax.servlet;

import dev.hapax.client.Operation;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes an HTTP handler, or each handler of a class, idempotent by the header {@code
 * Idempotency-Key}. A framework reads it: it finds the handler of a request and gives {@link
 * IdempotencyFilter#rule(Idempotent)} to {@link IdempotencyFilter.Builder#rule}. The filter itself
 * does not know handlers.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Idempotent {

  /** Refuse requests without a key. Otherwise they run, and nothing is recorded. */
  boolean required() default false;

  /** See {@link Operation#lease}: 100 ms to 24 h. 0 = that of {@link Operation}. */
  long leaseMillis() default 0;

  /**
   * The header with the account of a request, which the caller's gateway must set. Empty = the
   * account of the filter.
   */
  String account() default "";

  /** See {@link Operation#onStale}. */
  Operation.OnStale onStale() default Operation.OnStale.TAKE_OVER;
}
