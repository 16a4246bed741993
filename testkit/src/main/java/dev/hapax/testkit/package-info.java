/** Shared test support: a settable clock and a manually driven scheduler. */
@NullMarked
package dev.hapax.testkit;

import org.jspecify.annotations.NullMarked;
