/** Hooks, found by their tokens. */
@NullMarked
package dev.hapax.console.hook;

import org.jspecify.annotations.NullMarked;
