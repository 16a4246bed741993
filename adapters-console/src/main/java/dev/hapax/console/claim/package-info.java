/** The kinds of holds that can get stuck. */
@NullMarked
package dev.hapax.console.claim;

import org.jspecify.annotations.NullMarked;
