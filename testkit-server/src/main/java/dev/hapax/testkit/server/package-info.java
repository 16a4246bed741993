/**
 * Hapax in the JVM of a test: {@link dev.hapax.testkit.server.InMemoryHapax}, for tests of
 * workflows, workers and callers with the Java client or stubs.
 */
@NullMarked
package dev.hapax.testkit.server;

import org.jspecify.annotations.NullMarked;
