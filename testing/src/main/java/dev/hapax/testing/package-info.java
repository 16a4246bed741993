/**
 * Hapax for the tests of an application: instances with a clock that the test advances. {@link
 * dev.hapax.testing.TestHapax} is the entry point, {@link dev.hapax.testing.TestHapaxExtension}
 * gives one to each JUnit test, and {@link dev.hapax.testing.HapaxTest} connects an application of
 * Spring Boot to one.
 */
@NullMarked
package dev.hapax.testing;

import org.jspecify.annotations.NullMarked;
