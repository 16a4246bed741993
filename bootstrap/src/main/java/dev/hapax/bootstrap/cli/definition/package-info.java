/** The commands <code>hapax definition …</code>. */
@NullMarked
package dev.hapax.bootstrap.cli.definition;

import org.jspecify.annotations.NullMarked;
