/** {@code hapax server}, {@code queue} and {@code worker}: a server, and the backlog. */
@NullMarked
package dev.hapax.bootstrap.cli.monitoring;

import org.jspecify.annotations.NullMarked;
