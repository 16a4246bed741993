/** {@code hapax run}. */
@NullMarked
package dev.hapax.bootstrap.cli.run;

import org.jspecify.annotations.NullMarked;
