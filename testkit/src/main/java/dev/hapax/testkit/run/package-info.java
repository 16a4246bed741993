/** Runs without a database. */
@NullMarked
package dev.hapax.testkit.run;

import org.jspecify.annotations.NullMarked;
