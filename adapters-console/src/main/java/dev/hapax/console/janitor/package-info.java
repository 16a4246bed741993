/** Janitors, with what they cover and when they swept. */
@NullMarked
package dev.hapax.console.janitor;

import org.jspecify.annotations.NullMarked;
