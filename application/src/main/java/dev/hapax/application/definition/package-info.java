/** Definitions of runs. */
@NullMarked
package dev.hapax.application.definition;

import org.jspecify.annotations.NullMarked;
