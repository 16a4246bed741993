/** The metrics of a server, for Prometheus. */
@NullMarked
package dev.hapax.bootstrap.server.metrics;

import org.jspecify.annotations.NullMarked;
