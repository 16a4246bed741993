/** Limits of runs: their lines and the numbers that operators set. */
@NullMarked
package dev.hapax.console.limit;

import org.jspecify.annotations.NullMarked;
