/** Janitors in memory. */
@NullMarked
package dev.hapax.testkit.janitor;

import org.jspecify.annotations.NullMarked;
