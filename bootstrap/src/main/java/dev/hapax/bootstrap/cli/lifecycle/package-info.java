/** {@code hapax lifecycle}. */
@NullMarked
package dev.hapax.bootstrap.cli.lifecycle;

import org.jspecify.annotations.NullMarked;
