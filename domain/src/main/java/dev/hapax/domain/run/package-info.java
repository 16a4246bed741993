/** Durable runs: started once, worked by whoever holds the current step, told event by event. */
@NullMarked
package dev.hapax.domain.run;

import org.jspecify.annotations.NullMarked;
