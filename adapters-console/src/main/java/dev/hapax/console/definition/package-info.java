/** Definitions of runs. */
@NullMarked
package dev.hapax.console.definition;

import org.jspecify.annotations.NullMarked;
