/** {@code hapax server}, {@code queue} and {@code worker}: a server, and the backlog. */
@NullMarked
package dev.hapax.bootstrap.monitoring;

import org.jspecify.annotations.NullMarked;
