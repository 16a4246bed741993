/** Numbers for Prometheus. */
@NullMarked
package dev.hapax.bootstrap.metrics;

import org.jspecify.annotations.NullMarked;
