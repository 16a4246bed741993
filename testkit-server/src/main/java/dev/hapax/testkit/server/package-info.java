/**
 * Hapax in the JVM of a test: {@link dev.hapax.testkit.server.InMemoryHapax}, for whoever tests
 * workflows, workers and callers of the Java client, or of stubs.
 */
@NullMarked
package dev.hapax.testkit.server;

import org.jspecify.annotations.NullMarked;
