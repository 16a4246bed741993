/**
 * The Java client of Hapax. {@link dev.hapax.client.HapaxClient} is the entry point.
 *
 * <ul>
 *   <li>{@link dev.hapax.client.operation} runs work once per request id.
 *   <li>{@link dev.hapax.client.run} starts, awaits and controls durable runs.
 *   <li>{@link dev.hapax.client.hook} reaches runs by their tokens.
 *   <li>{@link dev.hapax.client.worker} executes the steps of runs.
 *   <li>{@link dev.hapax.client.claim} runs actions on entities, one holder at a time.
 * </ul>
 *
 * <p>To test workflows there is {@code dev.hapax.testkit.server.InMemoryHapax}, in the artifact
 * {@code hapax-testkit-server}: Hapax in the JVM of the test, with a clock to set. Pass its channel
 * to {@link dev.hapax.client.HapaxClient#on}. The artifact {@code hapax-testing} has the same in
 * another process, for Java 17.
 */
@NullMarked
package dev.hapax.client;

import org.jspecify.annotations.NullMarked;
