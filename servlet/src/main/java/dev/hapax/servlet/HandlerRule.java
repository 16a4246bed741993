package dev.hapax.servlet;

import dev.hapax.client.Operation;
import java.util.function.UnaryOperator;

/**
 * How the requests of a handler are idempotent.
 *
 * @param required whether a request without a key is refused with 400, or runs unrecorded
 * @param options changes the operation of a request, before its account and input
 */
public record HandlerRule(boolean required, UnaryOperator<Operation> options) {

  /** An optional key, and the defaults of {@link Operation}. */
  public static final HandlerRule DEFAULT = new HandlerRule(false, UnaryOperator.identity());
}
