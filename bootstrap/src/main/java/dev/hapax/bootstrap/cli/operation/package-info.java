/** {@code hapax operation}: what an operator looks at and settles by hand. */
@NullMarked
package dev.hapax.bootstrap.cli.operation;

import org.jspecify.annotations.NullMarked;
