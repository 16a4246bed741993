/** {@code hapax hook}. */
@NullMarked
package dev.hapax.bootstrap.cli.hook;

import org.jspecify.annotations.NullMarked;
