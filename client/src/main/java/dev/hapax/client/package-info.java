/**
 * The Java client of Hapax.
 *
 * <p>{@link dev.hapax.client.Operations} runs a piece of work once per request id; {@link
 * dev.hapax.client.IdempotencyInterceptor} does the same for the unary methods of a gRPC service.
 * Both go through one implementation of the lifecycle: begin, keep the lease alive, complete or
 * fail.
 *
 * <p>{@link dev.hapax.client.Runs} starts durable runs, follows and moves them, {@link
 * dev.hapax.client.Definitions} registers what they are made of, and {@link
 * dev.hapax.client.Worker} does their steps: by a {@link dev.hapax.client.TaskHandler} for each, or
 * by a {@link dev.hapax.client.Workflow} that names durable steps of its own.
 */
@NullMarked
package dev.hapax.client;

import org.jspecify.annotations.NullMarked;
