/**
 * Durable runs: started once, executed step by step by the workers that hold a claim, recorded as
 * events.
 */
@NullMarked
package dev.hapax.domain.run;

import org.jspecify.annotations.NullMarked;
