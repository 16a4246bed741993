/** Definitions of runs: immutable, by name and version. */
@NullMarked
package dev.hapax.domain.definition;

import org.jspecify.annotations.NullMarked;
