/** Limits in memory. */
@NullMarked
package dev.hapax.testkit.limit;

import org.jspecify.annotations.NullMarked;
