/**
 * The Java client of Hapax.
 *
 * <p>{@link dev.hapax.client.Operations} runs a piece of work once per request id; {@link
 * dev.hapax.client.IdempotencyInterceptor} does the same for the unary methods of a gRPC service.
 * Both go through one implementation of the lifecycle: begin, keep the lease alive, complete or
 * fail.
 */
@NullMarked
package dev.hapax.client;

import org.jspecify.annotations.NullMarked;
