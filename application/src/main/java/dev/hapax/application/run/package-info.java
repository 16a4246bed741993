/** Durable runs: start, watch and steer them, and hand their steps to workers. */
@NullMarked
package dev.hapax.application.run;

import org.jspecify.annotations.NullMarked;
