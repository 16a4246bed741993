/** What is held and can get stuck. */
@NullMarked
package dev.hapax.console.claim;

import org.jspecify.annotations.NullMarked;
