/** {@code hapax server}, {@code hapax queue} and {@code hapax worker}. */
@NullMarked
package dev.hapax.bootstrap.cli.monitoring;

import org.jspecify.annotations.NullMarked;
