/**
 * Operations: work that runs once per request id, by hand or in a gRPC interceptor. {@link
 * dev.hapax.client.operation.Operations} is the start, {@link
 * dev.hapax.client.operation.IdempotencyInterceptor} does the same for unary gRPC methods.
 */
@NullMarked
package dev.hapax.client.operation;

import org.jspecify.annotations.NullMarked;
