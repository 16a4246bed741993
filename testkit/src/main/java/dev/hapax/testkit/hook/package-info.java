/** Tokens in memory. */
@NullMarked
package dev.hapax.testkit.hook;

import org.jspecify.annotations.NullMarked;
