/**
 * The Java client of Hapax. {@link dev.hapax.client.Hapax} is the entry point: its methods lead to
 * all others.
 *
 * <ul>
 *   <li>{@link dev.hapax.client.Hapax#once} does work once for each request id.
 *   <li>{@link dev.hapax.client.Runs} starts, awaits and controls durable runs.
 *   <li>{@link dev.hapax.client.Hooks} reaches runs by their tokens.
 *   <li>{@link dev.hapax.client.Entities} acts on entities, one holder at a time.
 *   <li>{@link dev.hapax.client.Worker} does the steps of runs, and the code of each {@link
 *       dev.hapax.client.Workflow}.
 * </ul>
 *
 * <p>Calls block, and throw a {@link dev.hapax.client.HapaxException}. The package {@link
 * dev.hapax.client.grpc} makes gRPC services idempotent.
 *
 * <p>To test workflows there is {@code dev.hapax.testing.TestHapax}, in the artifact {@code
 * hapax-testing}: Hapax with a clock that the test advances, in another process. On Java 25, {@code
 * dev.hapax.testkit.server.InMemoryHapax} is the same in the JVM of the test.
 */
@NullMarked
package dev.hapax.client;

import org.jspecify.annotations.NullMarked;
