/** {@code hapax definition}. */
@NullMarked
package dev.hapax.bootstrap.cli.definition;

import org.jspecify.annotations.NullMarked;
