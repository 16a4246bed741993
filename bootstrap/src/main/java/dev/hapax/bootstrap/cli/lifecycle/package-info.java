/** Lifecycles in files: {@code hapax lifecycle}, and what a server loads when it starts. */
@NullMarked
package dev.hapax.bootstrap.cli.lifecycle;

import org.jspecify.annotations.NullMarked;
