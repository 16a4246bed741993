/** {@code hapax queue} and {@code hapax worker}: the backlog and who works on it. */
@NullMarked
package dev.hapax.bootstrap.monitoring;

import org.jspecify.annotations.NullMarked;
