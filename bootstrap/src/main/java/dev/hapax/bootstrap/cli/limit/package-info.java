/** {@code hapax limit}. */
@NullMarked
package dev.hapax.bootstrap.cli.limit;

import org.jspecify.annotations.NullMarked;
