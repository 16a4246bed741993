/**
 * Unary gRPC methods that run once for each idempotency key. {@link
 * dev.hapax.client.grpc.IdempotencyInterceptor} is the start.
 */
@NullMarked
package dev.hapax.client.grpc;

import org.jspecify.annotations.NullMarked;
