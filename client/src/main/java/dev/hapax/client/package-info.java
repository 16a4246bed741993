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
 *
 * <p>{@link dev.hapax.client.Claims} runs actions on entities, of which each is acted on by one
 * holder at a time; {@link dev.hapax.client.Entities} and {@link dev.hapax.client.Lifecycles} say
 * what there is to act on. {@link dev.hapax.client.Janitors} declares who frees the entities whose
 * holder died, and {@link dev.hapax.client.RemoteJanitor} does it for a module that looks by
 * itself. After-effects are runs of one step: a {@link dev.hapax.client.Worker} of the queue with
 * their name does them.
 *
 * <p>To test workflows there is {@code dev.hapax.testkit.server.InMemoryHapax}, in the artifact
 * {@code hapax-testkit-server}: Hapax in the JVM of the test, with a clock to set. Give its channel
 * to all of these, and its clock to {@link dev.hapax.client.WorkerBuilder#clock}.
 */
@NullMarked
package dev.hapax.client;

import org.jspecify.annotations.NullMarked;
