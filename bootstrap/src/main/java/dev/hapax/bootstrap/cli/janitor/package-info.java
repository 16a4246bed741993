/** {@code hapax janitor}. */
@NullMarked
package dev.hapax.bootstrap.cli.janitor;

import org.jspecify.annotations.NullMarked;
