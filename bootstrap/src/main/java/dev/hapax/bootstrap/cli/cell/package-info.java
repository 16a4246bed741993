/** {@code hapax cell}. */
@NullMarked
package dev.hapax.bootstrap.cli.cell;

import org.jspecify.annotations.NullMarked;
