/** Definitions in files: {@code hapax definition}, and what a server loads when it starts. */
@NullMarked
package dev.hapax.bootstrap.definition;

import org.jspecify.annotations.NullMarked;
