/** Operations, with their answers. */
@NullMarked
package dev.hapax.console.operation;

import org.jspecify.annotations.NullMarked;
