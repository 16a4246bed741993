/** {@code hapax operation}: what an operator looks at and settles by hand. */
@NullMarked
package dev.hapax.bootstrap.operation;

import org.jspecify.annotations.NullMarked;
