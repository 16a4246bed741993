/** Lifecycles in memory. */
@NullMarked
package dev.hapax.testkit.lifecycle;

import org.jspecify.annotations.NullMarked;
