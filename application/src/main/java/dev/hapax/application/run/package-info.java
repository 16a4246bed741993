/** Durable runs: start, watch and control them, and dispatch their steps to workers. */
@NullMarked
package dev.hapax.application.run;

import org.jspecify.annotations.NullMarked;
