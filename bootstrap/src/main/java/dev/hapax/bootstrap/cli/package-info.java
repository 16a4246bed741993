/** The {@code hapax} command line. */
@NullMarked
package dev.hapax.bootstrap.cli;

import org.jspecify.annotations.NullMarked;
