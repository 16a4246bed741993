/** Definitions of runs: register and read. */
@NullMarked
package dev.hapax.application.definition;

import org.jspecify.annotations.NullMarked;
