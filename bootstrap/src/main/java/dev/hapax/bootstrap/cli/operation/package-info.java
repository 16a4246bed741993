/** {@code hapax operation}. */
@NullMarked
package dev.hapax.bootstrap.cli.operation;

import org.jspecify.annotations.NullMarked;
